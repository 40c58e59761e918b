/* SPDX-License-Identifier: MIT */
// threads: 2
/* A position that moves with the iterations, shared. */
int a[64];

int main(void)
{
	int at = 0;

#pragma omp parallel for schedule(static, 1) // race: a b
	for (int i = 0; i < 64; i++) {	     // race: a b
		at = at + 1;		     // race: a b
	}
	return at < 0;
}
