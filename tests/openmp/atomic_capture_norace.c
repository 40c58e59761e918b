/* SPDX-License-Identifier: MIT */
/* A number is drawn in one step: each has its own. */
int x;
static int places[256];

int main(void)
{
#pragma omp parallel
	for (int i = 0; i < 4; i++) {
		int mine;
#pragma omp atomic capture
		mine = x++;
		places[mine] = i;
	}
	return 0;
}
