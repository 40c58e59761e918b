/* SPDX-License-Identifier: MIT */
/* A plugin with a variable that its functions write, also when it comes and goes. */
int plugin_counter[1000];

void plugin_write(int value);
void plugin_touch(int *variable);
int plugin_sum(void);

__attribute__((constructor)) static void start(void)
{
	plugin_counter[0] = 1;
}

__attribute__((destructor)) static void stop(void)
{
	plugin_counter[0] = 0;
}

void plugin_write(int value)
{
	plugin_counter[500] = value;
}

void plugin_touch(int *variable)
{
	*variable = 1;
}

int plugin_sum(void)
{
	return plugin_counter[0] + plugin_counter[500];
}
