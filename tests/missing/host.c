/* SPDX-License-Identifier: MIT */
/* Loads and unloads plugin.c, for itself alone, and looks for errors that are not its
 * own. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	(void)argc;
	for (int i = 0; i < 3; i++) {
		char path[4096];
		snprintf(path, sizeof path, "%s_plugin.so", argv[0]);
		void *plugin = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
		if (!plugin)
			return 1;
		int (*run)(void);
		*(void **)&run = dlsym(plugin, "plugin_run");
		printf("%d %s\n", run(), dlerror() ? "an error" : "no error");
		dlclose(plugin);
	}
	return 0;
}
