/* SPDX-License-Identifier: MIT */
/* For those who interpose functions that send signals, or are told of them. A child that ends
 * is a signal of whoever has made it, SIGCHLD. Any thread, any time. */
#ifndef DH_RUNTIME_INTERCEPT_SIGSEND_H
#define DH_RUNTIME_INTERCEPT_SIGSEND_H

/* Before the signal is sent; other numbers than those of signals are passed over. */
void dh_signal_sending(int number);

/* Who gets it without a handler comes after who has sent it. Likewise. */
void dh_signal_received(int number);

#endif
