/* SPDX-License-Identifier: MIT */
/* Nothing: what it costs to start and to end. */
int main(void)
{
	return 0;
}
