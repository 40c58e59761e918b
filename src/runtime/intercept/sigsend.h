/* SPDX-License-Identifier: MIT */
/* For those who interpose functions that send signals. Any thread, any time. */
#ifndef DH_RUNTIME_INTERCEPT_SIGSEND_H
#define DH_RUNTIME_INTERCEPT_SIGSEND_H

/* Before the signal is sent; other numbers than those of signals are passed over. */
void dh_signal_sending(int number);

#endif
