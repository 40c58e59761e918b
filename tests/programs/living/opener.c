/* SPDX-License-Identifier: MIT */
/* Opens a library, the first argument, and runs its main() with the rest. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *library = dlopen(argv[1], RTLD_NOW);

	if (!library) {
		puts(dlerror());
		return 3;
	}
	return ((int (*)(int, char **))dlsym(library, "main"))(argc - 1, argv + 1);
}
