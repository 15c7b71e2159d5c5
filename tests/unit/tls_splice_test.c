// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of model/tls_splice.c, in its order.
 */
#include "tests/unit/tls_fixture.h"

static struct tls_fix *f;
static struct tls_sw_context_rx *ctx;
static const int NB = M_MSG_DONTWAIT;

static void setup12(void)
{
	f = tls_fix_new(TLS_1_2_VERSION, TLS_CIPHER_AES_GCM_128);
	ctx = tls_sw_ctx_rx(tls_get_ctx(f->sk));
}

static void setup13(void)
{
	f = tls_fix_new(TLS_1_3_VERSION, TLS_CIPHER_AES_GCM_128);
	ctx = tls_sw_ctx_rx(tls_get_ctx(f->sk));
}

static void teardown(void)
{
	tls_fix_free(f);
}

/* What is in the pipe must be the stream from @off on. */
static void drained(u32 off, u32 len)
{
	struct iovec_m iov = { f->buf, FIX_BUF };
	struct iov_iter iter;

	iov_iter_init(&iter, ITER_UBUF, &iov, 1);
	ck_assert_int_eq(pipe_read(f->pipe, &iter), (int)len);
	ck_assert(tls_fix_is_stream(f->buf, off, len));
}

START_TEST(tls_sw_splice_read__one_record_a_call)
{
	tls_fix_send(f, "d10 d20");
	ck_assert_int_eq(tls_fix_splice(f, 1000), 10);
	ck_reason(f, "tls-splice-record");
	drained(0, 10);
	ck_assert_int_eq(tls_fix_splice(f, 1000), 20);
	drained(10, 20);
	ck_assert_int_eq(tls_fix_splice(f, 1000), -EAGAIN);
	ck_reason(f, "tls-again-empty");
}
END_TEST

/* Vector 18 */
START_TEST(tls_sw_splice_read__in_parts)
{
	static const int want[] = { 4, 4, 2, 4, 4, 2, -EAGAIN };
	u32 i, off = 0;

	tls_fix_send(f, "d10 d10");
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		ck_assert_int_eq(tls_fix_splice(f, 4), want[i]);
		if (want[i] < 0)
			break;
		ck_reason(f, want[i] == 4 ? "tls-splice-part" :
					    "tls-splice-record");
		drained(off, (u32)want[i]);
		off += (u32)want[i];
	}
	ck_assert_uint_eq(mock_event_count(f->m, EV_RX_LIST_DEL), 2);
}
END_TEST

/* Vector 4: an empty record looks like end of stream. */
START_TEST(tls_sw_splice_read__empty_record)
{
	tls_fix_send(f, "d0 d0 d11");
	ck_assert_int_eq(tls_fix_splice(f, 100), 0);
	ck_reason(f, "tls-splice-empty");
	ck_assert_int_eq(tls_fix_splice(f, 100), 0);
	ck_assert_int_eq(tls_fix_splice(f, 100), 11);
	drained(0, 11);
}
END_TEST

/* A control record blocks splice until recvmsg has taken it. */
START_TEST(tls_sw_splice_read__control)
{
	tls_fix_send(f, "d10 a2 d10");
	ck_assert_int_eq(tls_fix_splice(f, 100), 10);
	ck_assert_int_eq(tls_fix_splice(f, 100), -EINVAL);
	ck_reason(f, "tls-splice-control");
	ck_assert_int_eq(tls_fix_splice(f, 100), -EINVAL);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), 2);
	ck_msg(f, M_MSG_EOR, 21);
	ck_assert_int_eq(tls_fix_splice(f, 100), 10);
	drained(10, 10);
}
END_TEST

START_TEST(tls_sw_splice_read__key_update)
{
	tls_fix_send(f, "k5 d10");
	ck_assert_int_eq(tls_fix_splice(f, 100), -EINVAL);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), 5);
	ck_assert_int_eq(tls_fix_splice(f, 100), -EKEYEXPIRED);
	ck_reason(f, "tls-key-expired");
}
END_TEST

/* A peek or a short read before must not disturb the order. */
START_TEST(tls_sw_splice_read__after_peek)
{
	tls_fix_send(f, "d10 d10 d10");
	ck_assert_int_eq(tls_fix_recv(f, 20, NB | M_MSG_PEEK), 20);
	tls_fix_data(f, 4, 4, 0);
	ck_assert_int_eq(tls_fix_splice(f, 100), 6);
	drained(4, 6);
	ck_assert_int_eq(tls_fix_splice(f, 100), 10);
	ck_assert_int_eq(tls_fix_splice(f, 100), 10);
	drained(20, 10);
}
END_TEST

/* The pipe takes less than the record: nothing may be lost (bug 82). */
START_TEST(tls_sw_splice_read__small_pipe)
{
	u32 off = 0;
	int ret;

	tls_fix_send(f, "d16384");
	f->pipe = alloc_pipe_info(&f->m->k, 4096);
	f->pipe->rd_nonblock = true;
	while ((ret = tls_fix_splice(f, 16384)) > 0) {
		drained(off, (u32)ret);
		off += (u32)ret;
	}
	ck_assert_int_eq(ret, -EAGAIN);
	ck_assert_uint_eq(off, 16384);
}
END_TEST

START_TEST(tls_sw_splice_read__bad_record)
{
	tls_fix_send(f, "d10,badtag");
	ck_assert_int_eq(tls_fix_splice(f, 100), -EBADMSG);
	ck_assert_int_eq(tls_fix_splice(f, 100), -EBADMSG);
	ck_reason(f, "tls-bad-tag-again");
	ck_assert_int_eq(tls_fix_mib(f, MIB_TlsDecryptError), 2);
}
END_TEST

START_TEST(tls_sw_splice_read__async_error)
{
	tls_fix_send(f, "d10");
	ck_assert_int_eq(tls_fix_recv(f, 5, NB | M_MSG_PEEK), 5);
	ctx->async_wait_err = -EBADMSG;
	ck_assert_int_eq(tls_fix_splice(f, 100), -EBADMSG);
}
END_TEST

/* Older kernels splice what is on rx_list all the same. */
START_TEST(tls_sw_splice_read__async_error_ignored)
{
	mock_change(f->m, CHANGE_SPLICE_AFTER_ASYNC_FAILURE);
	tls_fix_send(f, "d10");
	ck_assert_int_eq(tls_fix_recv(f, 5, NB | M_MSG_PEEK), 5);
	ctx->async_wait_err = -EBADMSG;
	ck_assert_int_eq(tls_fix_splice(f, 100), 10);
}
END_TEST

/* O_NONBLOCK of the socket does not count, only the splice flag. */
START_TEST(tls_sw_splice_read__socket_nonblock_ignored)
{
	struct pipe_inode_info *pipe = alloc_pipe_info(&f->m->k, 65536);

	f->pipe = pipe;
	f->sk->sk_nonblock = true;
	tls_fix_build(f, "d10");
	mock_hook(f->m, tls_hook_tx_all, f);
	ck_assert_int_eq(splice_file_to_pipe(f->sk, pipe, 100, 0), 10);
}
END_TEST

/* read_sock */

/* A consumer that takes what its script says of each record offered. */
struct consumer {
	const int *takes;
	u8 got[4096];
	u32 len;
	u32 calls;
	u32 stop_after;
};

static int consume(read_descriptor_t *desc, struct sk_buff *skb, u32 offset,
		   size_t len)
{
	struct consumer *c = desc->arg;
	int take = c->takes ? c->takes[c->calls] : (int)len;

	c->calls++;
	if (c->calls == c->stop_after)
		desc->count = 0;
	if (take <= 0)
		return take;
	ck_assert_int_eq(skb_copy_bits(skb, offset, c->got + c->len, (u32)take),
			 0);
	c->len += (u32)take;
	return take;
}

static int read_sock(struct consumer *c, size_t count)
{
	read_descriptor_t desc = { .count = count, .arg = c };
	int ret;

	f->m->k.current->reason = REASON_NONE;
	lock_sock(f->sk);
	ret = f->sk->ops->read_sock(f->sk, &desc, consume);
	release_sock(f->sk);
	return ret;
}

START_TEST(tls_sw_read_sock__all)
{
	struct consumer c = { 0 };

	tls_fix_send(f, "d10 d0 d20 d30");
	ck_assert_int_eq(read_sock(&c, 1), 60);
	ck_reason(f, "tls-again-empty");
	ck_assert_uint_eq(c.calls, 3);
	ck_assert(tls_fix_is_stream(c.got, 0, 60));
	ck_assert_int_eq(read_sock(&c, 1), -EAGAIN);
}
END_TEST

START_TEST(tls_sw_read_sock__count)
{
	struct consumer c = { .stop_after = 1 };

	tls_fix_send(f, "d10 d20");
	ck_assert_int_eq(read_sock(&c, 0), 0);
	ck_reason(f, "tls-read-sock-nothing-asked");
	ck_assert_uint_eq(c.calls, 0);
	ck_assert_int_eq(read_sock(&c, 1), 10);
	ck_reason(f, "tls-read-sock-count");
	c.stop_after = 0;
	ck_assert_int_eq(read_sock(&c, 1), 20);
}
END_TEST

/* A rest is offered again at once (bug 87). */
START_TEST(tls_sw_read_sock__partial)
{
	static const int takes[] = { 4, 4, 2, 10 };
	struct consumer c = { .takes = takes };

	tls_fix_send(f, "d10 d10");
	ck_assert_int_eq(read_sock(&c, 1), 20);
	ck_assert_uint_eq(c.calls, 4);
	ck_assert(tls_fix_is_stream(c.got, 0, 20));
}
END_TEST

START_TEST(tls_sw_read_sock__actor_stops)
{
	static const int takes[] = { 10, 0, -EIO, 0, 10 };
	struct consumer c = { .takes = takes };

	tls_fix_send(f, "d10 d10");
	ck_assert_int_eq(read_sock(&c, 1), 10);
	ck_reason(f, "tls-read-sock-stopped");
	ck_assert_int_eq(read_sock(&c, 1), -EIO);
	ck_assert_int_eq(read_sock(&c, 1), 0);
	ck_assert_int_eq(read_sock(&c, 1), 10);
	ck_assert(tls_fix_is_stream(c.got, 0, 20));
}
END_TEST

START_TEST(tls_sw_read_sock__control)
{
	struct consumer c = { 0 };

	tls_fix_send(f, "d10 a2 d10");
	ck_assert_int_eq(read_sock(&c, 1), 10);
	ck_reason(f, "tls-read-sock-then-control");
	ck_assert_int_eq(read_sock(&c, 1), -EINVAL);
	ck_reason(f, "tls-read-sock-control");
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), 2);
	ck_assert_int_eq(read_sock(&c, 1), 10);
}
END_TEST

START_TEST(tls_sw_read_sock__bad_record)
{
	struct consumer c = { 0 };

	tls_fix_send(f, "d10 d10,badtag");
	ck_assert_int_eq(read_sock(&c, 1), 10);
	ck_reason(f, "tls-deferred-decrypt");
	ck_assert_int_eq(read_sock(&c, 1), -EBADMSG);
	ctx->async_wait_err = -EBADMSG;
	ck_assert_int_eq(read_sock(&c, 1), -EBADMSG);
}
END_TEST

START_TEST(tls_sw_read_sock__reader_busy)
{
	struct consumer c = { 0 };

	tls_fix_send(f, "d10");
	ctx->reader_present = true;
	ck_assert_int_eq(read_sock(&c, 1), -EAGAIN);
	ck_reason(f, "tls-reader-busy");
	ctx->reader_present = false;
}
END_TEST

START_TEST(tls_sw_read_sock__reset_behind_data)
{
	struct consumer c = { 0 };

	tls_fix_send(f, "d10 d10");
	tls_fix_rst(f);
	ck_assert_int_eq(read_sock(&c, 1), 20);
	ck_reason(f, "tls-sk-err-kept");
	ck_assert_int_eq(read_sock(&c, 1), -ECONNRESET);
	ck_assert_int_eq(read_sock(&c, 1), 0);
}
END_TEST

START_TEST(tls_sw_read_sock__rekey_behind_list)
{
	struct consumer c = { 0 };

	tls_fix_send(f, "d10");
	tls_fix_data(f, 4, 4, 0);
	ctx->key_update_pending = true;
	ck_assert_int_eq(read_sock(&c, 1), 6);
	ck_reason(f, "tls-key-expired");
}
END_TEST

/* Readability and poll */

START_TEST(tls_sw_sock_is_readable__record_or_list)
{
	ck_assert(!tls_sw_sock_is_readable(f->sk));
	tls_fix_send(f, "d10");
	ck_assert(tls_sw_sock_is_readable(f->sk));
	tls_fix_data(f, 4, 4, 0);
	ck_assert(tls_sw_sock_is_readable(f->sk));
	ctx->key_update_pending = true;
	ck_assert(tls_sw_sock_is_readable(f->sk));
	tls_fix_data(f, 6, 6, 4);
	ck_assert(!tls_sw_sock_is_readable(f->sk));
}
END_TEST

START_TEST(tls_sk_poll__partial_record)
{
	tls_fix_build(f, "d10");
	tls_fix_tx(f, -1);
	ck_assert_uint_eq(tls_fix_poll(f), 0);
	ck_reason(f, "tls-poll-no-record");
	tls_fix_tx_all(f);
	ck_assert_uint_eq(tls_fix_poll(f), M_POLLIN);
	ck_reason(f, "tls-poll-record");
	tls_fix_data(f, 4, 4, 0);
	ck_assert_uint_eq(tls_fix_poll(f), M_POLLIN);
	tls_fix_data(f, 6, 6, 4);
	ck_assert_uint_eq(tls_fix_poll(f), 0);
}
END_TEST

START_TEST(tls_sk_poll__rekey_pending)
{
	tls_fix_send(f, "k5 d10");
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), 5);
	ck_assert_uint_eq(tls_fix_poll(f), 0);
	ck_reason(f, "tls-poll-rekey");
	tls_fix_fin(f);
	ck_assert_uint_eq(tls_fix_poll(f), M_POLLIN | M_POLLRDHUP);
	ck_reason(f, "tls-poll-as-tcp");
}
END_TEST

/* SO_RCVLOWAT keeps TCP from telling, so the record is not even parsed. */
START_TEST(tls_sk_poll__lowat)
{
	f->sk->sk_rcvlowat = 1000;
	tls_fix_send(f, "d100");
	ck_assert_uint_eq(tls_fix_poll(f), 0);
	ck_assert(!ctx->strp.msg_ready);
	ck_assert_uint_eq(tls_fix_announces(f), 0);
	tls_fix_data(f, 100, 100, 0);
}
END_TEST

START_TEST(tls_sk_poll__reset)
{
	tls_fix_send(f, "d10");
	tls_fix_rst(f);
	ck_assert_uint_eq(tls_fix_poll(f),
			  M_POLLIN | M_POLLERR | M_POLLHUP | M_POLLRDHUP);
}
END_TEST

static TCase *tc_both(const char *name, void (*setup)(void))
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, tls_sw_splice_read__one_record_a_call);
	tcase_add_test(tc, tls_sw_splice_read__in_parts);
	tcase_add_test(tc, tls_sw_splice_read__empty_record);
	tcase_add_test(tc, tls_sw_splice_read__control);
	tcase_add_test(tc, tls_sw_splice_read__key_update);
	tcase_add_test(tc, tls_sw_splice_read__after_peek);
	tcase_add_test(tc, tls_sw_splice_read__small_pipe);
	tcase_add_test(tc, tls_sw_splice_read__bad_record);
	tcase_add_test(tc, tls_sw_splice_read__async_error);
	tcase_add_test(tc, tls_sw_splice_read__async_error_ignored);
	tcase_add_test(tc, tls_sw_splice_read__socket_nonblock_ignored);
	tcase_add_test(tc, tls_sw_read_sock__all);
	tcase_add_test(tc, tls_sw_read_sock__count);
	tcase_add_test(tc, tls_sw_read_sock__partial);
	tcase_add_test(tc, tls_sw_read_sock__actor_stops);
	tcase_add_test(tc, tls_sw_read_sock__control);
	tcase_add_test(tc, tls_sw_read_sock__bad_record);
	tcase_add_test(tc, tls_sw_read_sock__reader_busy);
	tcase_add_test(tc, tls_sw_read_sock__reset_behind_data);
	tcase_add_test(tc, tls_sw_read_sock__rekey_behind_list);
	tcase_add_test(tc, tls_sw_sock_is_readable__record_or_list);
	tcase_add_test(tc, tls_sk_poll__partial_record);
	tcase_add_test(tc, tls_sk_poll__rekey_pending);
	tcase_add_test(tc, tls_sk_poll__lowat);
	tcase_add_test(tc, tls_sk_poll__reset);
	return tc;
}

Suite *tls_splice_test_suite(void)
{
	Suite *s = suite_create("tls_splice");

	suite_add_tcase(s, tc_both("tls12", setup12));
	suite_add_tcase(s, tc_both("tls13", setup13));
	return s;
}
