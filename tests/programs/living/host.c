/* SPDX-License-Identifier: MIT */
/* Loads a plugin (the first argument) and has threads use it, as the second says:
 *   race    two threads call it, unordered
 *   reload  a thread loads it, writes in it and unloads it; then another does
 *   gone    a thread has it write a variable, and unloads it; main writes it too
 *   both    two threads open it, and use what its constructor has set up */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "../invisible.h"

static const char *path;
static invisible_step_t step;
static int variable;

static void *load(void)
{
	void *library = dlopen(path, RTLD_NOW);

	if (!library)
		exit(2);
	return library;
}

static void call(void *library, int value)
{
	((void (*)(int))dlsym(library, "plugin_write"))(value);
}

static void *write_it(void *library)
{
	call(library, 1);
	invisible_advance(&step);
	return NULL;
}

static void *open_it(void *value)
{
	void *library = load();
	int sum = ((int (*)(void))dlsym(library, "plugin_sum"))();

	invisible_advance(&step);
	return sum == 1 ? value : NULL;
}

static void *visit(void *value)
{
	void *library = load();

	call(library, 2);
	dlclose(library);
	invisible_advance(&step);
	return value;
}

static void *lend(void *value)
{
	void *library = load();

	((void (*)(int *))dlsym(library, "plugin_touch"))(&variable);
	dlclose(library);
	invisible_advance(&step);
	return value;
}

static void race(void *library)
{
	pthread_t t;

	pthread_create(&t, NULL, write_it, library);
	invisible_await(&step, 1);
	call(library, 2);
	pthread_join(t, NULL);
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	if (argc != 3)
		return 2;
	path = argv[1];
	if (!strcmp(argv[2], "race")) {
		race(load());
	} else if (!strcmp(argv[2], "gone")) {
		pthread_create(&t[0], NULL, lend, NULL);
		invisible_await(&step, 1);
		variable = 2;
		pthread_join(t[0], NULL);
	} else {
		void *(*f)(void *) = strcmp(argv[2], "both") ? visit : open_it;
		for (int i = 0; i < 2; i++) {
			pthread_create(&t[i], NULL, f, NULL);
			invisible_await(&step, i + 1);
		}
		for (int i = 0; i < 2; i++)
			pthread_join(t[i], NULL);
	}
	return 0;
}
