/* bpf_sim.h - runs a seccomp filter without a kernel: classic BPF as far as filters use it */
#pragma once

#include <assert.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <string.h>

/* Answer of the @n instructions to @d; @args is set when anything but number and architecture was read. */
static inline uint32_t bpf_sim(const struct sock_filter *code, size_t n, const struct seccomp_data *d, int *args)
{
	uint32_t a = 0;
	*args = 0;
	for (size_t pc = 0; pc < n; pc++) {
		const struct sock_filter *i = &code[pc];
		int yes;
		switch (i->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			assert(i->k % 4 == 0 && i->k + 4 <= sizeof(*d));
			memcpy(&a, (const char *)d + i->k, sizeof(a));
			*args |= i->k >= 8;
			continue;
		case BPF_ALU | BPF_AND | BPF_K:
			a &= i->k;
			continue;
		case BPF_RET | BPF_K:
			return i->k;
		case BPF_JMP | BPF_JA:
			pc += i->k;
			continue;
		case BPF_JMP | BPF_JEQ | BPF_K: yes = a == i->k; break;
		case BPF_JMP | BPF_JGT | BPF_K: yes = a > i->k; break;
		case BPF_JMP | BPF_JGE | BPF_K: yes = a >= i->k; break;
		case BPF_JMP | BPF_JSET | BPF_K: yes = (a & i->k) != 0; break;
		default: assert(!"an instruction that no filter of ours has");
		}
		pc += yes ? i->jt : i->jf;
	}
	assert(!"ran off the end");
	return 0;
}
