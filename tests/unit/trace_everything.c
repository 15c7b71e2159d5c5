// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A trace with one of everything, made without text as the generator does.
 *
 * Every statement, call, record kind, site, point and counter is there, with
 * arguments that differ from their defaults and from each other.
 *
 * Left out: sense. It cannot be run.
 */
#include "tests/unit/trace_everything.h"

static struct trace_stmt *add_stmt(struct trace *tr, enum stmt_kind kind)
{
	struct trace_stmt *st = pool_push(tr->pool, tr->stmts, tr->stmt_n);

	st->kind = kind;
	st->timed = kind != ST_AT && kind != ST_END;
	st->dt_ns = st->timed ? (s64)tr->stmt_n * 1000 : 0;
	return st;
}

static void add_record(struct trace *tr, const char *name, u32 of,
		       struct trace_rec rec)
{
	struct trace_stmt *st = add_stmt(tr, ST_PEER_RECORD);

	st->peer.first = tr->rec_n;
	st->peer.count = of;
	rec.name = name;
	rec.of = of;
	for (rec.index = 0; rec.index < of; rec.index++)
		*pool_push(tr->pool, tr->recs, tr->rec_n) = rec;
}

static struct trace_call *add_call(struct trace *tr, enum call_kind kind)
{
	struct trace_stmt *st = add_stmt(tr, ST_CALL);

	st->call = mem_pool_alloc(tr->pool, sizeof(*st->call));
	st->call->kind = kind;
	return st->call;
}

static struct trace_result *last_result(struct trace *tr)
{
	return &tr->stmts[tr->stmt_n - 1].result;
}

static void build_records(struct trace *tr)
{
	static const u8 raw[] = { 0x16, 3, 3, 0xff };

	add_record(tr, "A", 1, (struct trace_rec){ .type = 23, .len = 100 });
	add_record(tr, "B", 3,
		   (struct trace_rec){ .type = 99,
				       .len = 10,
				       .pad = 3,
				       .mods = MOD_BADTAG | MOD_BADCT |
					       MOD_VER | MOD_LEN | MOD_DLEN |
					       MOD_OUTER | MOD_SEQ | MOD_ZERO |
					       MOD_NOINNER,
				       .ver = 0x301,
				       .hdr_len = 9,
				       .dlen = -1,
				       .outer = 21,
				       .seq = UINT64_MAX });
	add_record(tr, "K", 1,
		   (struct trace_rec){
			   .kind = REC_KEYUPDATE, .type = 22, .len = 5 });
	add_record(tr, "R", 1,
		   (struct trace_rec){
			   .kind = REC_RAW, .raw = raw, .len = sizeof(raw) });
	for (int what = OSSL_DATA; what <= OSSL_CLOSE; what++) {
		static const char *const names[] = { "OD", "OT", "OK", "OC" };

		add_record(tr, names[what], 1,
			   (struct trace_rec){ .kind = REC_OPENSSL,
					       .ossl = (enum ossl_what)what,
					       .len = what ? 0 : 50 });
	}
}

static void build_wire(struct trace *tr)
{
	static const struct trace_range ranges[] = {
		{ .rec = 0, .count = 1, .from = 3, .to = RANGE_END },
		{ .rec = 1, .count = 3, .from = 0, .to = RANGE_END },
		{ .rec = 4, .count = 1, .from = 0, .to = 7 },
	};
	static const struct trace_range part = { 2, 2, 1, 9 };

	for (int layout = -1; layout < LAYOUT_COUNT; layout++) {
		struct trace_stmt *st =
			add_stmt(tr, layout == 1 ? ST_SEND : ST_WIRE);

		st->wire = (struct stmt_wire){ .range = ranges,
					       .range_n = 3,
					       .layout = layout,
					       .held = layout % 2,
					       .cut = layout < 1 ? 0 : 17,
					       .urg = layout == 2 };
	}
	add_stmt(tr, ST_WIRE)->wire = (struct stmt_wire){ .range = &part,
							  .range_n = 1,
							  .layout = -1,
							  .held = -1,
							  .flip = 0x80,
							  .flip_off = 7 };
	add_stmt(tr, ST_FIN)->fin.send = true;
	add_stmt(tr, ST_FIN);
	add_stmt(tr, ST_RST);
	for (int i = 0; i < 2; i++) {
		struct trace_stmt *st = add_stmt(tr, i ? ST_RST : ST_FIN);

		st->fin.after = true;
		st->fin.range = part;
	}
}

/* A call of each kind with arguments that differ from their defaults. */
static void build_call(struct trace *tr, enum call_kind kind)
{
	struct trace_call *c = add_call(tr, kind);

	switch (kind) {
	case CALL_RECVMSG:
	case CALL_RECV:
	case CALL_RECVMMSG:
		c->flags = M_MSG_PEEK | M_MSG_WAITALL | M_MSG_DONTWAIT |
			   M_MSG_TRUNC | M_MSG_OOB | M_MSG_ERRQUEUE |
			   M_MSG_CMSG_CLOEXEC;
		c->ctl = kind == CALL_RECV ? 0 : 17;
		c->count = kind == CALL_RECVMMSG ? 4 : 0;
		/* fallthrough */
	case CALL_READ:
	case CALL_READV:
		c->iov_n = kind == CALL_READ || kind == CALL_RECV ? 1 : 16;
		for (u32 i = 0; i < c->iov_n; i++)
			c->iov[i] = (struct trace_iov){ i, i % 2 };
		break;
	case CALL_SPLICE:
		c->iov_n = 1;
		c->iov[0].len = UINT32_MAX;
		c->pipe = 1;
		c->flags = M_SPLICE_F_MOVE | M_SPLICE_F_NONBLOCK |
			   M_SPLICE_F_MORE;
		break;
	case CALL_READ_SOCK:
		c->count = 1000;
		c->take_n = 8;
		c->take[3] = 7;
		c->take[7] = -EAGAIN;
		break;
	case CALL_POLL:
	case CALL_EPOLL:
		c->timeout_ns = kind == CALL_POLL ? -1 : 1500;
		c->flags = M_POLLIN |
			   (kind == CALL_POLL ? M_POLLRDHUP : M_POLLOUT);
		c->edge = kind == CALL_EPOLL;
		break;
	case CALL_SETSOCKOPT:
	case CALL_GETSOCKOPT:
		c->level = 77;
		c->opt = 88;
		c->opt_len = 3;
		c->val = kind == CALL_SETSOCKOPT ? -5 : 0;
		c->opt_null = kind == CALL_GETSOCKOPT;
		break;
	case CALL_NONBLOCK:
	case CALL_SHUTDOWN:
		c->val = 1;
		break;
	case CALL_PREAD:
	case CALL_PWRITE:
	case CALL_PRESIZE:
		c->val = 123;
		/* fallthrough */
	case CALL_PIONREAD:
	case CALL_PPOLL:
	case CALL_PCLOSE:
		c->pipe = 1;
		c->end = kind == CALL_PCLOSE;
		break;
	case CALL_FIONREAD:
	case CALL_CLOSE:
	case CALL_DISCONNECT:
	case CALL_COUNT:
		break;
	}
}

static void build_keys(struct trace *tr)
{
	struct trace_call *c = add_call(tr, CALL_SETSOCKOPT);

	c->level = SOL_TLS_M;
	c->opt = TLS_RX;
	c->opt_len = -1;
	c->key = 2;
	c->key_seq = 1ull << 40;
	c->key_seq_set = true;
	c->key_ver = 0x303;
	c->key_cipher = TLS_CIPHER_SM4_CCM;
	c->key_cid = 9999;
}

static void build_recv_results(struct trace *tr)
{
	static const struct trace_data data[] = {
		{ .kind = DATA_RANGE,
		  .range = { .rec = 2, .count = 2, .to = RANGE_END } },
		{ .kind = DATA_RANGE,
		  .range = { .rec = 0, .count = 1, .from = 5, .to = 9 } },
		{ .kind = DATA_STREAM,
		  .range = { .count = 1, .from = 1, .to = 1 << 30 } },
		{ .kind = DATA_FILL, .fill = 0x0a, .fill_n = 3 },
	};
	static const struct trace_result msgs[] = {
		{ .what = EXP_RET | EXP_DATA | EXP_FLAGS,
		  .ret = 5,
		  .data = data,
		  .data_n = 2,
		  .flags = M_MSG_EOR },
		{ .what = EXP_PAST | EXP_TYPE, .past = 1, .type = 0 },
	};
	struct trace_result *res;

	build_call(tr, CALL_RECVMSG);
	res = last_result(tr);
	res->what = EXP_RET | EXP_TYPE | EXP_DATA | EXP_FLAGS | EXP_PAST |
		    EXP_REASON | EXP_CTLLEN;
	res->ret = 70000;
	res->type = 99;
	res->data = data;
	res->data_n = 4;
	res->flags = M_MSG_CTRUNC | M_MSG_CMSG_CLOEXEC;
	res->past = 4;
	res->reason = REASON_NONE;
	res->ctllen = 24;
	build_call(tr, CALL_RECVMMSG);
	res = last_result(tr);
	res->what = EXP_RET | EXP_MSGS;
	res->ret = 2;
	res->msgs = msgs;
	res->msg_n = 2;
	build_call(tr, CALL_RECVMSG);
	last_result(tr)->what = EXP_NOTYPE | EXP_FLAGS;
	build_call(tr, CALL_READ);
	last_result(tr)->what = EXP_BLOCKS;
	add_stmt(tr, ST_RETURNS)->result.what = EXP_BLOCKS;
	add_stmt(tr, ST_RETURNS)->result =
		(struct trace_result){ .what = EXP_RET, .ret = -EBADMSG };
}

static void build_other_results(struct trace *tr)
{
	static const u8 hex[] = { 4, 3, 0x33, 0 };
	struct trace_result *res;

	build_call(tr, CALL_POLL);
	last_result(tr)->what = EXP_MASK | EXP_REASON;
	last_result(tr)->mask = M_POLLIN | M_POLLRDNORM | M_POLLRDHUP;
	build_call(tr, CALL_POLL);
	last_result(tr)->what = EXP_MASK;
	build_call(tr, CALL_GETSOCKOPT);
	res = last_result(tr);
	res->what = EXP_RET | EXP_HEX | EXP_OUTLEN | EXP_VALUE | EXP_REASON;
	res->hex = hex;
	res->hex_n = sizeof(hex);
	res->outlen = 4;
	res->value = INT64_MIN;
	build_call(tr, CALL_GETSOCKOPT);
	last_result(tr)->what = EXP_HEX;
	last_result(tr)->hex = hex;
	last_result(tr)->hex_n = 1;
	build_call(tr, CALL_GETSOCKOPT);
	last_result(tr)->what = EXP_VALUE;
	build_call(tr, CALL_CLOSE);
	last_result(tr)->what = EXP_RET;
	last_result(tr)->ret = -3999;
}

static void build_small_stmts(struct trace *tr)
{
	struct trace_stmt *st = add_stmt(tr, ST_PEER_KEY);

	st->key.gen = 3;
	st->key.seq = UINT64_MAX;
	st->key.seq_set = true;
	add_stmt(tr, ST_PEER_KEY)->key.gen = 4;
	for (u32 i = 0; i < M_SITE_COUNT; i++) {
		const char *name = m_site_name[i];

		if (name[strlen(name) - 1] == '!')
			continue;
		st = add_stmt(tr, ST_FAIL);
		st->fail.site = (enum m_site)i;
		st->fail.nth = i;
	}
	for (u32 i = 0; i < M_POINT_COUNT; i++) {
		st = add_stmt(tr, ST_AT);
		st->at.point = (enum m_point)i;
		st->at.nth = i + 1;
		st->at.what = (enum at_what)(i % 4);
		st->task = st->at.what == AT_TASK;
	}
	add_stmt(tr, ST_SIGNAL)->signal.restart = true;
	add_stmt(tr, ST_SIGNAL)->task = 1;
}

static void build_counters(struct trace *tr)
{
	for (u32 i = 0; i < CNT_COUNT; i++) {
		add_stmt(tr, ST_EXPECT)->expect.counter = i;
		tr->stmts[tr->stmt_n - 1].expect.value = i;
	}
	for (u32 i = 0; i < M_MIB_COUNT; i++) {
		struct trace_stmt *st = add_stmt(tr, ST_EXPECT);

		st->expect.counter = CNT_MIB + i;
		st->expect.value = UINT64_MAX;
		st->expect.more = i + 1 < M_MIB_COUNT;
		if (i) {
			st->timed = false;
			st->dt_ns = 0;
		}
	}
}

void trace_everything(struct trace *tr)
{
	static const struct trace_pipe pipes[] = { { "p", 4096, false },
						   { "q", 1048576, true } };

	tr->opts = (struct trace_opts){ .version = TLS_1_3_VERSION,
					.cipher = TLS_CIPHER_AES_CCM_128,
					.profile = "rfc-splice-coalesce",
					.rcvbuf = INT32_MAX,
					.mss = 1,
					.rcvlowat = 7,
					.rcvtimeo_ns = 1,
					.seq = UINT64_MAX,
					.layout = LAYOUT_PAGES,
					.held = true,
					.nopad = true,
					.nonblock = true,
					.ulp = true,
					.rx = true,
					.openssl = true,
					.finish = true };
	*pool_push(tr->pool, tr->tasks, tr->task_n) = "r1";
	*pool_push(tr->pool, tr->tasks, tr->task_n) = "r2";
	for (u32 i = 0; i < 2; i++) {
		*pool_push(tr->pool, tr->pipes, tr->pipe_n) = pipes[i];
		add_stmt(tr, ST_PIPE)->pipe.pipe = i;
	}
	for (int kind = 0; kind < CALL_COUNT; kind++)
		build_call(tr, (enum call_kind)kind);
	add_call(tr, CALL_CLOSE);
	tr->stmts[tr->stmt_n - 1].task = 1;
	build_records(tr);
	build_wire(tr);
	build_keys(tr);
	build_recv_results(tr);
	build_other_results(tr);
	build_small_stmts(tr);
	build_counters(tr);
	add_stmt(tr, ST_END)->end.consumed = true;
}
