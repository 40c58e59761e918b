/* SPDX-License-Identifier: MIT */
// threads: 2
/* A number is drawn in two steps, and may be drawn twice. */
int x;
static int low;

int main(void)
{
#pragma omp parallel
	for (int i = 0; i < 4; i++) {
		int mine;
#pragma omp atomic	  // race: a
		x++;	  // race: a
		mine = x; // race: b
		if (mine < 0)
			low = 1;
	}
	return low;
}
