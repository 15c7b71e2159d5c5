// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/explain/why.c and sim/explain/why_state.c.
 */
#include "sim/explain/why.h"

#include "sim/cmd/tool.h"
#include "tests/unit/run_text.h"

/* Words of the telling of @text; @ret is what why_run() must return. */
static void tells(const char *text, int ret, const char *const *want)
{
	struct trace tr = { .pool = mem_pool_new() };
	struct text all = { 0 }, flat = { 0 };
	struct sim_err err = { 0 };
	struct sim_opts o;
	size_t i;

	text_printf(&all, "ktlsim-trace 1\n%s", text);
	if (trace_parse(&tr, "test", all.buf, all.len, &err))
		ck_abort_msg("%u:%u: %s", err.line, err.col, err.msg);
	text_free(&all);
	ck_assert_int_eq(tool_opts(&tr, "test", NULL, &o), 0);
	ck_assert_int_eq(why_run(&tr, "test", &o, &all), ret);
	/* without line breaks, so that words can be looked for */
	for (i = 0; i < all.len; i++) {
		if (all.buf[i] != '\n' && all.buf[i] != ' ')
			text_putc(&flat, all.buf[i]);
		else if (flat.len && flat.buf[flat.len - 1] != ' ')
			text_putc(&flat, ' ');
	}
	for (; *want; want++) {
		if (!strstr(flat.buf, *want))
			ck_abort_msg("no '%s' in:\n%s", *want, all.buf);
	}
	text_free(&all);
	text_free(&flat);
	mem_pool_free(tr.pool);
}

#define TELLS(text, ret, ...) \
	tells(text, ret, (const char *const[]){ __VA_ARGS__, NULL })

START_TEST(why_run__eio_is_a_record_of_another_type)
{
	TELLS("+0     peer  A = alert 2\n"
	      "+0     wire  A\n"
	      "+0     r1    read 100 = EIO\n",
	      0, "read 100 = EIO", "(tls-control-no-room)",
	      "in front A, record 0 of the peer: alert",
	      "2 bytes of it wait on rx_list", "is no failure and no reset",
	      "All profiles give the same answers");
}
END_TEST

START_TEST(why_run__keys_inside_a_record)
{
	TELLS("set tls=1.3 cipher=aes-128-gcm rx=off\n"
	      "+0     peer  A = data 100\n"
	      "+0     peer  B = data 100\n"
	      "+0     wire  A B\n"
	      "+0     r1    recvmsg 130 = 130\n"
	      "+0     r1    setsockopt tls_rx = 0\n"
	      "+0     r1    recvmsg 100\n",
	      0, "The stream starts 8 bytes into record 2 (B)",
	      "where it stood when TLS_RX was set", "As a header",
	      "byte 8 of B, record 1 of the peer");
}
END_TEST

START_TEST(why_run__length_that_lies)
{
	TELLS("+0     peer  A = data 100 dlen=+1\n"
	      "+0     peer  B = data 100\n"
	      "+0     wire  A B\n"
	      "+0     r1    recvmsg 100 = EBADMSG\n",
	      0, "A was spoilt: no keys open it", "Close it");
	TELLS("+0     peer  A = data 100 ver=0200\n"
	      "+0     wire  A\n"
	      "+0     r1    recvmsg 100 = EINVAL\n",
	      0, "A starts there, as it should, and its header is no good",
	      "17 02 00");
}
END_TEST

START_TEST(why_run__wrong_number_and_wrong_generation)
{
	TELLS("+0     peer  A = data 10 seq=7\n"
	      "+0     wire  A\n"
	      "+0     r1    recvmsg 100 = EBADMSG\n"
	      "+0     r1    recvmsg 100 = EBADMSG\n",
	      0, "sealed as number 7, the receiver opens it as number 0",
	      "too low by 7", "1 decryption failed", "sk_err EBADMSG");
	TELLS("+0     peer  key 1\n"
	      "+0     peer  A = data 10\n"
	      "+0     wire  A\n"
	      "+0     r1    recvmsg 100 = EBADMSG\n",
	      0, "keys of generation 1, the receiver has generation 0");
}
END_TEST

START_TEST(why_run__rekey_and_other_profiles)
{
	TELLS("+0     peer  U = keyupdate 5\n"
	      "+0     wire  U\n"
	      "+0     r1    recvmsg 100 = 5 handshake U\n"
	      "+0     r1    recvmsg 100 dontwait = EKEYEXPIRED\n",
	      0, "rekey pending", "set TLS_RX again",
	      "otherwise v6.12, v6.12.117", ": EAGAIN",
	      "2 calls on v7.2: all holds");
}
END_TEST

START_TEST(why_run__asleep_and_awake)
{
	TELLS("+0     peer  A = data 100\n"
	      "+0     wire  A[0,3)\n"
	      "+0     r1    recvmsg 100 = blocks\n"
	      "+0     r2    recvmsg 100 dontwait = EAGAIN\n"
	      "+1ms   wire  A[3,end)\n"
	      "       r1    returns 100 data A\n",
	      0, "recvmsg 100 sleeps", "the first 3 arrived",
	      "the reader is r1", "recvmsg 100 goes on = 100 data A eor",
	      "1 sleep (", "nothing; all that the peer");
}
END_TEST

START_TEST(why_run__what_is_broken)
{
	TELLS("+0     peer  A = data 10\n"
	      "+0     wire  A\n"
	      "+0     r1    recvmsg 100 = 11\n",
	      1, "the trace expects another result", "expected 11, got: 10");
	TELLS("+0     r1    close = 0\n"
	      "+0     r1    recvmsg 10 = EBADF\n",
	      0, "nothing, the socket is closed", "state closed");
	TELLS("+0     wire  rst\n"
	      "+0     r1    recvmsg 10 = ECONNRESET\n",
	      0, "socket error ECONNRESET taken and cleared");
}
END_TEST

START_TEST(why_run__impossible)
{
	TELLS("+0     r1    recvmsg 10\n"
	      "+0     r1    recvmsg 10\n",
	      2, "sleeps");
}
END_TEST

Suite *why_test_suite(void);
Suite *why_test_suite(void)
{
	Suite *s = suite_create("why");
	TCase *tc = tcase_create("why");

	tcase_add_test(tc, why_run__eio_is_a_record_of_another_type);
	tcase_add_test(tc, why_run__keys_inside_a_record);
	tcase_add_test(tc, why_run__length_that_lies);
	tcase_add_test(tc, why_run__wrong_number_and_wrong_generation);
	tcase_add_test(tc, why_run__rekey_and_other_profiles);
	tcase_add_test(tc, why_run__asleep_and_awake);
	tcase_add_test(tc, why_run__what_is_broken);
	tcase_add_test(tc, why_run__impossible);
	suite_add_tcase(s, tc);
	return s;
}
