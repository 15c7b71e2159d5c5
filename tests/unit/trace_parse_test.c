// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/trace/trace_parse*.c: what accepted text means. Refused text is
 * tests/must_fail/.
 */
#include <check.h>

#include "sim/trace/trace.h"

static struct mem_pool *pool;
static struct trace tr;
static struct sim_err err;

static void setup(void)
{
	pool = mem_pool_new();
	tr.pool = pool;
}

static void teardown(void)
{
	mem_pool_free(pool);
}

/* Parses the statements behind a version line and @set. */
static void parse_with(const char *set, const char *body)
{
	struct text t = { 0 };

	text_printf(&t, "ktlsim-trace 1\n%s\n%s", set, body);
	ck_assert_msg(!trace_parse(&tr, "t", t.buf, t.len, &err), "%u:%u: %s",
		      err.line, err.col, err.msg);
	text_free(&t);
}

static void parse(const char *body)
{
	parse_with("", body);
}

/* The call on the only line. */
static const struct trace_call *parse_call_line(const char *line)
{
	parse(line);
	ck_assert_int_eq(tr.stmts[tr.stmt_n - 1].kind, ST_CALL);
	return tr.stmts[tr.stmt_n - 1].call;
}

/* The result on the last line. */
static const struct trace_result *parse_result_line(const char *text)
{
	parse(text);
	return &tr.stmts[tr.stmt_n - 1].result;
}

/* The message for one bad line. */
static const char *refused(const char *body)
{
	struct text t = { 0 };

	text_printf(&t, "ktlsim-trace 1\n%s", body);
	ck_assert_int_eq(trace_parse(&tr, "t", t.buf, t.len, &err), -1);
	text_free(&t);
	return err.msg;
}

START_TEST(trace_parse__nothing_but_the_version)
{
	const char text[] = "ktlsim-trace 1";

	ck_assert_int_eq(trace_parse(&tr, "t", text, strlen(text), &err), 0);
	ck_assert_uint_eq(tr.stmt_n, 0);
	ck_assert_uint_eq(tr.opts.version, TLS_1_3_VERSION);
}
END_TEST

START_TEST(trace_parse__empty)
{
	ck_assert_int_eq(trace_parse(&tr, "t", NULL, 0, &err), -1);
	ck_assert_uint_eq(err.line, 1);
	ck_assert_uint_eq(err.col, 1);
}
END_TEST

START_TEST(trace_parse__keeps_no_pointer_into_the_text)
{
	char text[] = "ktlsim-trace 1\n# c\nset profile=p\n"
		      "peer Rec = raw 1603\ntask close\npipe pip 1\n";

	ck_assert_int_eq(trace_parse(&tr, "t", text, strlen(text), &err), 0);
	memset(text, 'x', sizeof(text));
	ck_assert_str_eq(tr.opts.profile, "p");
	ck_assert_str_eq(tr.recs[0].name, "Rec");
	ck_assert_uint_eq(tr.recs[0].raw[0], 0x16);
	ck_assert_str_eq(tr.tasks[0], "task");
	ck_assert_str_eq(tr.pipes[0].name, "pip");
	ck_assert_str_eq(tr.comments[0].text, " c");
}
END_TEST

START_TEST(trace_parse__too_many_statements)
{
	struct text t = { 0 };

	text_puts(&t, "ktlsim-trace 1\n");
	for (u32 i = 0; i <= TRACE_STMTS_MAX; i++)
		text_puts(&t, "wire fin\n");
	ck_assert_int_eq(trace_parse(&tr, "t", t.buf, t.len, &err), -1);
	ck_assert_uint_eq(err.line, TRACE_STMTS_MAX + 2);
	text_free(&t);
}
END_TEST

START_TEST(set__all_options)
{
	const struct trace_opts *o = &tr.opts;

	parse_with("set tls=1.2 cipher=chacha20-poly1305 profile=v6.1\n"
		   "set rcvbuf=4096 mss=536 rcvlowat=5 rcvtimeo=3ms seq=0xff\n"
		   "set skb=slab held=on nonblock=on ulp=off rx=off\n"
		   "set peer=openssl finish=on nopad=off",
		   "");
	ck_assert_uint_eq(o->version, TLS_1_2_VERSION);
	ck_assert_uint_eq(o->cipher, TLS_CIPHER_CHACHA20_POLY1305);
	ck_assert_str_eq(o->profile, "v6.1");
	ck_assert_uint_eq(o->rcvbuf, 4096);
	ck_assert_uint_eq(o->mss, 536);
	ck_assert_uint_eq(o->rcvlowat, 5);
	ck_assert_int_eq(o->rcvtimeo_ns, 3000000);
	ck_assert_uint_eq(o->seq, 255);
	ck_assert_int_eq(o->layout, LAYOUT_HEAD_SLAB);
	ck_assert(o->held && o->nonblock && o->openssl && o->finish);
	ck_assert(!o->ulp && !o->rx && !o->nopad);
}
END_TEST

START_TEST(time__of_statements)
{
	parse("+0 r1 close\n+2us r1 close\n   r1 close\n");
	ck_assert(tr.stmts[0].timed && tr.stmts[1].timed && !tr.stmts[2].timed);
	ck_assert_int_eq(tr.stmts[1].dt_ns, 2000);
	ck_assert_int_eq(tr.stmts[2].dt_ns, 0);
	ck_assert_uint_eq(tr.stmts[2].line, 5);
}
END_TEST

START_TEST(comments__places)
{
	parse_with("# head\nset tls=1.3 # set",
		   "\n# one\nr1 close # two\n\n# last");
	ck_assert_uint_eq(tr.comment_n, 7);
	ck_assert_int_eq(tr.comments[0].place, COMMENT_HEAD);
	ck_assert_int_eq(tr.comments[1].place, COMMENT_SET);
	ck_assert_ptr_null(tr.comments[2].text);
	ck_assert_uint_eq(tr.comments[3].before_stmt, 0);
	ck_assert(tr.comments[4].trailing);
	ck_assert_uint_eq(tr.comments[4].before_stmt, 0);
	ck_assert_uint_eq(tr.comments[6].before_stmt, 1);
	ck_assert(!tr.comments[6].trailing);
}
END_TEST

START_TEST(peer__kinds)
{
	parse_with("set peer=openssl",
		   "peer A = data 100\npeer B = type 99 3\npeer C = ccs 1\n"
		   "peer K = keyupdate 5\npeer R = raw 16030300ff\n"
		   "peer T = openssl ticket\npeer D = openssl data 10\n");
	ck_assert_uint_eq(tr.rec_n, 7);
	ck_assert_uint_eq(tr.recs[0].type, 23);
	ck_assert_uint_eq(tr.recs[0].len, 100);
	ck_assert_uint_eq(tr.recs[0].of, 1);
	ck_assert_uint_eq(tr.recs[1].type, 99);
	ck_assert_uint_eq(tr.recs[2].type, 20);
	ck_assert_int_eq(tr.recs[3].kind, REC_KEYUPDATE);
	ck_assert_uint_eq(tr.recs[3].type, 22);
	ck_assert_int_eq(tr.recs[4].kind, REC_RAW);
	ck_assert_uint_eq(tr.recs[4].len, 5);
	ck_assert_uint_eq(tr.recs[4].raw[4], 0xff);
	ck_assert_int_eq(tr.recs[5].ossl, OSSL_TICKET);
	ck_assert_int_eq(tr.recs[6].ossl, OSSL_DATA);
	ck_assert_uint_eq(tr.recs[6].len, 10);
}
END_TEST

START_TEST(peer__repeated)
{
	parse("peer A = data 1\npeer C*3 = data 10\n");
	ck_assert_uint_eq(tr.rec_n, 4);
	ck_assert_uint_eq(tr.stmts[1].peer.first, 1);
	ck_assert_uint_eq(tr.stmts[1].peer.count, 3);
	ck_assert_uint_eq(tr.recs[3].index, 2);
	ck_assert_uint_eq(tr.recs[3].of, 3);
	ck_assert_str_eq(tr.recs[3].name, "C");
}
END_TEST

START_TEST(peer__mods)
{
	const struct trace_rec *r;

	parse("peer A = data 9 noinner zero seq=7 outer=0 dlen=-1 len=4 "
	      "ver=0301 badct badtag pad=10\n");
	r = &tr.recs[0];
	ck_assert_uint_eq(r->mods, MOD_BADTAG | MOD_BADCT | MOD_VER | MOD_LEN |
					   MOD_DLEN | MOD_OUTER | MOD_SEQ |
					   MOD_ZERO | MOD_NOINNER);
	ck_assert_uint_eq(r->pad, 10);
	ck_assert_uint_eq(r->ver, 0x301);
	ck_assert_uint_eq(r->hdr_len, 4);
	ck_assert_int_eq(r->dlen, -1);
	ck_assert_uint_eq(r->outer, 0);
	ck_assert_uint_eq(r->seq, 7);
}
END_TEST

START_TEST(peer__key)
{
	parse("peer key 1\npeer key 2 seq=0\n");
	ck_assert_uint_eq(tr.stmts[0].key.gen, 1);
	ck_assert(!tr.stmts[0].key.seq_set);
	ck_assert(tr.stmts[1].key.seq_set);
}
END_TEST

START_TEST(peer__two_hundred_thousand_records)
{
	struct text t = { 0 };

	/* Names by the thousand need more than a walk through a list. */
	for (u32 i = 0; i < 20000; i++)
		text_printf(&t, "peer n%u = data 1\nwire n%u\n", i, i);
	text_puts(&t, "peer more*180000 = data 1\n");
	parse(t.buf);
	ck_assert_uint_eq(tr.rec_n, TRACE_RECORDS_MAX);
	ck_assert_uint_eq(tr.stmts[39999].wire.range[0].rec, 19999);
	text_free(&t);
}
END_TEST

START_TEST(wire__ranges)
{
	const struct trace_range *r;

	parse("peer A = data 100\npeer C*4 = data 10\n"
	      "wire A[3,end) C.0..2 C.3[0,5)\nsend A C\n");
	ck_assert_uint_eq(tr.stmt_n, 4);
	r = tr.stmts[2].wire.range;
	ck_assert_uint_eq(tr.stmts[2].wire.range_n, 3);
	ck_assert_uint_eq(r[0].from, 3);
	ck_assert_uint_eq(r[0].to, RANGE_END);
	ck_assert_uint_eq(r[1].rec, 1);
	ck_assert_uint_eq(r[1].count, 3);
	ck_assert_uint_eq(r[2].rec, 4);
	ck_assert_uint_eq(r[2].count, 1);
	ck_assert_uint_eq(r[2].to, 5);
}
END_TEST

START_TEST(wire__contiguous_across_spellings)
{
	/* 32 bytes a record: byte 40 of C is byte 8 of C.1. */
	parse("peer C*4 = data 10\nwire C[0,40) C.1[8,end) C.2[0,32) C.3\n");
	ck_assert_uint_eq(tr.stmts[1].wire.range_n, 4);
	ck_assert_str_eq(
		refused("peer C*4 = data 10\nwire C[0,40) C.1[9,end)\n"),
		"'C.1[9,end)' does not follow in the stream, expected 'C.1'"
		" from byte 8");
}
END_TEST

START_TEST(wire__openssl_lengths_are_checked_when_run)
{
	parse_with("set peer=openssl",
		   "peer T = openssl ticket\npeer A = data 5\n"
		   "wire T[0,900) A\nwire T[5,10) T[10,end) A xor=ff@4000\n");
	ck_assert_uint_eq(tr.stmts[2].wire.range[0].to, 900);
}
END_TEST

START_TEST(wire__options)
{
	const struct stmt_wire *w;

	parse("peer A = data 100\n"
	      "wire A xor=0f@121 urg held=off skb=head cut=10\nwire A\n");
	w = &tr.stmts[1].wire;
	ck_assert_uint_eq(w->cut, 10);
	ck_assert_int_eq(w->layout, LAYOUT_HEAD_FRAG);
	ck_assert_int_eq(w->held, 0);
	ck_assert(w->urg);
	ck_assert_uint_eq(w->flip, 0x0f);
	ck_assert_uint_eq(w->flip_off, 121);
	w = &tr.stmts[2].wire;
	ck_assert_int_eq(w->layout, -1);
	ck_assert_int_eq(w->held, -1);
	ck_assert_uint_eq(w->cut, 0);
}
END_TEST

START_TEST(wire__fin_and_rst)
{
	parse("wire fin\nsend fin\nwire rst\n");
	ck_assert_int_eq(tr.stmts[0].kind, ST_FIN);
	ck_assert(!tr.stmts[0].fin.send);
	ck_assert(tr.stmts[1].fin.send);
	ck_assert_int_eq(tr.stmts[2].kind, ST_RST);
}
END_TEST

START_TEST(stmt__small_ones)
{
	parse("pipe p 65536 nb\nfail alloc decrypt_page#2\n"
	      "fail alloc decrypt_page#*\nsignal r1 restart\nr1 close\n"
	      "at rec_done#3 run r1\nat rec_done#1 run wire\n"
	      "at rec_done#1 run work\nat rec_done#1 run timer\nend left 10\n");
	ck_assert(tr.pipes[0].nonblock);
	ck_assert_uint_eq(tr.pipes[0].size, 65536);
	ck_assert_int_eq(tr.stmts[1].fail.site, SITE_DECRYPT_PAGE);
	ck_assert_uint_eq(tr.stmts[1].fail.nth, 2);
	ck_assert_uint_eq(tr.stmts[2].fail.nth, 0);
	ck_assert(tr.stmts[3].signal.restart);
	ck_assert_int_eq(tr.stmts[5].at.point, POINT_REC_DONE);
	ck_assert_uint_eq(tr.stmts[5].at.nth, 3);
	ck_assert_int_eq(tr.stmts[5].at.what, AT_TASK);
	ck_assert_int_eq(tr.stmts[6].at.what, AT_WIRE);
	ck_assert_int_eq(tr.stmts[7].at.what, AT_WORK);
	ck_assert_int_eq(tr.stmts[8].at.what, AT_TIMER);
	ck_assert(!tr.stmts[9].end.consumed);
	ck_assert_uint_eq(tr.stmts[9].end.left, 10);
}
END_TEST

START_TEST(expect__one_statement_a_counter)
{
	parse("expect announces=1 TlsDecryptError=0\n");
	ck_assert_uint_eq(tr.stmt_n, 2);
	ck_assert_uint_eq(tr.stmts[0].expect.counter, CNT_ANNOUNCES);
	ck_assert(tr.stmts[0].expect.more);
	ck_assert_uint_eq(tr.stmts[1].expect.counter,
			  CNT_MIB + MIB_TlsDecryptError);
	ck_assert(!tr.stmts[1].expect.more);
	ck_assert_uint_eq(tr.stmts[1].line, tr.stmts[0].line);
}
END_TEST

START_TEST(call__recvmsg)
{
	const struct trace_call *c =
		parse_call_line("r1 recvmsg 3+4+b10 peek dontwait ctl=17\n");

	ck_assert_uint_eq(c->iov_n, 3);
	ck_assert_uint_eq(c->iov[1].len, 4);
	ck_assert(!c->iov[1].bad && c->iov[2].bad);
	ck_assert_uint_eq(c->flags, M_MSG_PEEK | M_MSG_DONTWAIT);
	ck_assert_uint_eq(c->ctl, 17);
	ck_assert_uint_eq(parse_call_line("r1 recvmsg 3\n")->ctl, 64);
	ck_assert_uint_eq(parse_call_line("r1 recv 3\n")->ctl, 0);
}
END_TEST

START_TEST(call__read_sock)
{
	const struct trace_call *c =
		parse_call_line("r1 read_sock 1000 take=4,0,-EAGAIN\n");

	ck_assert_uint_eq(c->count, 1000);
	ck_assert_uint_eq(c->take_n, 3);
	ck_assert_int_eq(c->take[0], 4);
	ck_assert_int_eq(c->take[2], -EAGAIN);
}
END_TEST

START_TEST(call__poll_timeouts)
{
	ck_assert_int_eq(parse_call_line("r1 poll\n")->timeout_ns, 0);
	ck_assert_int_eq(parse_call_line("r1 poll 1ms\n")->timeout_ns, 1000000);
	ck_assert_int_eq(parse_call_line("r1 poll forever\n")->timeout_ns, -1);
	ck_assert(parse_call_line("r1 epoll et = IN\n")->edge);
	ck_assert(!parse_call_line("r1 epoll lt 1ms\n")->edge);
}
END_TEST

START_TEST(call__setsockopt)
{
	const struct trace_call *c = parse_call_line(
		"r1 setsockopt tls_rx null len=12 cid=60 ver=0303 "
		"cipher=aria-256-gcm seq=0 key=3\n");

	ck_assert_int_eq(c->level, SOL_TLS_M);
	ck_assert_int_eq(c->opt, TLS_RX);
	ck_assert(c->opt_null && c->key_seq_set);
	ck_assert_int_eq(c->opt_len, 12);
	ck_assert_uint_eq(c->key_cid, 60);
	ck_assert_uint_eq(c->key_ver, 0x303);
	ck_assert_uint_eq(c->key_cipher, TLS_CIPHER_ARIA_GCM_256);
	ck_assert_uint_eq(c->key, 3);
	c = parse_call_line("r1 setsockopt peek_off -1\n");
	ck_assert_int_eq(c->val, -1);
	ck_assert_int_eq(c->opt_len, -1);
	c = parse_call_line("r1 setsockopt rcvtimeo 100ms\n");
	ck_assert_int_eq(c->val, 100000000);
	c = parse_call_line("r1 setsockopt 282:99 1\n");
	ck_assert_int_eq(c->level, 282);
	ck_assert_int_eq(c->opt, 99);
}
END_TEST

START_TEST(call__numbers_of_a_named_option)
{
	/* 282:2 is TLS_RX, whose value is keys. */
	const struct trace_call *c =
		parse_call_line("r1 setsockopt 282:2 key=1\n");

	ck_assert_uint_eq(c->key, 1);
}
END_TEST

START_TEST(call__pipes)
{
	const struct trace_call *c = parse_call_line(
		"pipe p 1\npipe q 1\nr1 splice q 100 nb more\n");

	ck_assert_uint_eq(c->pipe, 1);
	ck_assert_uint_eq(c->iov[0].len, 100);
	ck_assert_uint_eq(c->flags, M_SPLICE_F_NONBLOCK | M_SPLICE_F_MORE);
	c = parse_call_line("pipe p 1\nd1 pread p 100\n");
	ck_assert_int_eq(c->val, 100);
	c = parse_call_line("pipe p 1\nd1 pclose p wr\n");
	ck_assert_uint_eq(c->end, 1);
}
END_TEST

START_TEST(result__recvmsg)
{
	const struct trace_result *r = parse_result_line(
		"peer A = data 100\npeer C*2 = data 10\n"
		"r1 recvmsg 200 = 111 data A[0,100) C.1 ff*1 stream[5,9) "
		"eor past=3 ctllen=24 why=none\n");

	ck_assert_uint_eq(r->what, EXP_RET | EXP_TYPE | EXP_DATA | EXP_FLAGS |
					   EXP_PAST | EXP_CTLLEN | EXP_REASON);
	ck_assert_int_eq(r->ret, 111);
	ck_assert_uint_eq(r->type, 23);
	ck_assert_uint_eq(r->flags, M_MSG_EOR);
	ck_assert_uint_eq(r->data_n, 4);
	ck_assert_uint_eq(r->data[0].range.to, 100);
	ck_assert_uint_eq(r->data[1].range.rec, 2);
	ck_assert_int_eq(r->data[2].kind, DATA_FILL);
	ck_assert_uint_eq(r->data[2].fill, 0xff);
	ck_assert_int_eq(r->data[3].kind, DATA_STREAM);
	ck_assert_uint_eq(r->data[3].range.to, 9);
}
END_TEST

START_TEST(result__values)
{
	ck_assert_int_eq(parse_result_line("r1 recv 1 = EFAULT\n")->ret,
			 -EFAULT);
	ck_assert_int_eq(parse_result_line("r1 recv 1 = -11\n")->ret, -EAGAIN);
	ck_assert_uint_eq(parse_result_line("r1 recv 1 = blocks\n")->what,
			  EXP_BLOCKS);
	ck_assert_uint_eq(parse_result_line("r1 recv 1 = any why=none\n")->what,
			  EXP_REASON);
	ck_assert_uint_eq(parse_result_line("r1 recv 1\n")->what, 0);
	ck_assert_uint_eq(parse_result_line("r1 poll = IN|RDHUP\n")->mask,
			  M_POLLIN | M_POLLRDHUP);
	ck_assert_uint_eq(parse_result_line("r1 poll = none\n")->what,
			  EXP_MASK);
	ck_assert_int_eq(parse_result_line("r1 poll forever = EINTR\n")->ret,
			 -EINTR);
}
END_TEST

START_TEST(result__flags)
{
	const struct trace_result *r =
		parse_result_line("r1 recvmsg 1 = 1 notype flags=none\n");

	ck_assert_uint_eq(r->what, EXP_RET | EXP_NOTYPE | EXP_FLAGS);
	ck_assert_uint_eq(r->flags, 0);
	r = parse_result_line("r1 recvmsg 1 = 1 type 99 flags=CTRUNC|EOR\n");
	ck_assert_uint_eq(r->flags, M_MSG_EOR | M_MSG_CTRUNC);
	ck_assert_uint_eq(r->type, 99);
}
END_TEST

START_TEST(result__getsockopt)
{
	const struct trace_result *r =
		parse_result_line("r1 getsockopt tls_rx len=40 = hex 0403\n");

	ck_assert_uint_eq(r->what, EXP_HEX);
	ck_assert_uint_eq(r->hex_n, 2);
	r = parse_result_line("r1 getsockopt so_error = 0 err=ECONNRESET\n");
	ck_assert_int_eq(r->value, ECONNRESET);
	r = parse_result_line("r1 getsockopt so_error = 0 err=0 outlen=4\n");
	ck_assert_uint_eq(r->what, EXP_RET | EXP_VALUE | EXP_OUTLEN);
	ck_assert_int_eq(r->value, 0);
	r = parse_result_line("r1 getsockopt peek_off = 0 value=-1\n");
	ck_assert_int_eq(r->value, -1);
}
END_TEST

START_TEST(result__messages)
{
	const struct trace_result *r =
		parse_result_line("peer A = data 10\nr1 recvmmsg 4 20 = 2 "
				  "{ 10 data A eor } { 2 alert fb*2 }\n");

	ck_assert_uint_eq(r->what, EXP_RET | EXP_MSGS);
	ck_assert_uint_eq(r->msg_n, 2);
	ck_assert_int_eq(r->msgs[0].ret, 10);
	ck_assert_uint_eq(r->msgs[0].data_n, 1);
	ck_assert_uint_eq(r->msgs[1].type, 21);
}
END_TEST

START_TEST(result__returns_is_about_the_last_call)
{
	const struct trace_result *r =
		parse_result_line("r1 recv 1 = 0\nr1 poll forever = blocks\n"
				  "r2 recv 1 = blocks\nr1 returns IN\n");

	ck_assert_uint_eq(r->what, EXP_MASK);
	ck_assert_uint_eq(tr.stmts[3].task, 0);
}
END_TEST

Suite *trace_parse_test_suite(void);
Suite *trace_parse_test_suite(void)
{
	Suite *s = suite_create("trace_parse");
	TCase *tc = tcase_create("trace_parse");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, trace_parse__nothing_but_the_version);
	tcase_add_test(tc, trace_parse__empty);
	tcase_add_test(tc, trace_parse__keeps_no_pointer_into_the_text);
	tcase_add_test(tc, trace_parse__too_many_statements);
	tcase_add_test(tc, set__all_options);
	tcase_add_test(tc, time__of_statements);
	tcase_add_test(tc, comments__places);
	tcase_add_test(tc, peer__kinds);
	tcase_add_test(tc, peer__repeated);
	tcase_add_test(tc, peer__mods);
	tcase_add_test(tc, peer__key);
	tcase_add_test(tc, peer__two_hundred_thousand_records);
	tcase_add_test(tc, wire__ranges);
	tcase_add_test(tc, wire__contiguous_across_spellings);
	tcase_add_test(tc, wire__openssl_lengths_are_checked_when_run);
	tcase_add_test(tc, wire__options);
	tcase_add_test(tc, wire__fin_and_rst);
	tcase_add_test(tc, stmt__small_ones);
	tcase_add_test(tc, expect__one_statement_a_counter);
	tcase_add_test(tc, call__recvmsg);
	tcase_add_test(tc, call__read_sock);
	tcase_add_test(tc, call__poll_timeouts);
	tcase_add_test(tc, call__setsockopt);
	tcase_add_test(tc, call__numbers_of_a_named_option);
	tcase_add_test(tc, call__pipes);
	tcase_add_test(tc, result__recvmsg);
	tcase_add_test(tc, result__values);
	tcase_add_test(tc, result__flags);
	tcase_add_test(tc, result__getsockopt);
	tcase_add_test(tc, result__messages);
	tcase_add_test(tc, result__returns_is_about_the_last_call);
	suite_add_tcase(s, tc);
	return s;
}
