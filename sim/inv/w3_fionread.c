// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * W3: FIONREAD of a TLS socket is not 0 while a record is there that nobody was
 * told of.
 * How: FIONREAD tells the unread bytes of TCP, so what TLS has taken out of it
 * does not count. That is no surprise for who took part of a record, peeked at
 * it or was told that it is ready; it is for who was given only what came ahead
 * of it. Looked at when nothing can run any more.
 * Left out: how many bytes it says, which counts ciphertext; urgent bytes.
 */
#include "sim/inv/local.h"

static void on_quiet(struct sim *s, void *state)
{
	bool untold;

	(void)state;
	if (!ledger_rx(s) || tcp_sk(s->conn.sk)->urg_data)
		return;
	untold = ledger_listed(s) && ledger_listed_ahead(s);
	INV_CHECK(s, W3, !untold || tcp_inq(s->conn.sk) > 0, "fionread-ahead",
		  "FIONREAD says 0, and there is a record that was decrypted "
		  "in a call that did not say so");
}

const struct inv_ops inv_W3 = {
	.id = INV_W3,
	.on_quiet = on_quiet,
};
