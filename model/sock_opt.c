// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * setsockopt and getsockopt at SOL_SOCKET.
 *
 * Only the options that change what a reader sees: SO_ERROR, SO_RCVBUF,
 * SO_OOBINLINE, SO_RCVLOWAT, SO_RCVTIMEO, SO_PEEK_OFF. Any other one is
 * unknown. Checks stand in the kernel's order: length, copy, lock, value.
 *
 * Left out: sk_err_soft; SO_RCVTIMEO_NEW. MODEL: timeouts keep their
 * microseconds, where the kernel rounds up to its tick.
 *
 * Mirrors net/core/sock.c sk_setsockopt(), sk_getsockopt(),
 * sock_set_timeout(), __sock_set_rcvbuf().
 */
#include "model/tcp.h"

/* SOCK_MIN_RCVBUF on 64 bit, net.core.rmem_max of 7.2 and of 6.x. */
enum {
	M_RCVBUF_MIN = 2304,
	M_RMEM_MAX = 4194304,
	M_RMEM_MAX_6 = 212992
};

/* struct timeval of a 64 bit task. */
struct timeval_m {
	s64 tv_sec;
	s64 tv_usec;
};

static int opt_exit(struct sock *sk, int ret, enum m_reason reason)
{
	m_reason(sk->k, reason);
	return ret;
}

static bool copy_from_opt(void *to, const struct sockopt_arg *arg, u32 len)
{
	if (!arg->val || arg->size < len)
		return false;
	memcpy(to, arg->val, len);
	return true;
}

void sock_set_rcvbuf(struct sock *sk, int val)
{
	int max = m_has(sk->k, CHANGE_RMEM_MAX_208K) ? M_RMEM_MAX_6 :
						       M_RMEM_MAX;

	/* The kernel compares unsigned: a negative value means the maximum. */
	val = (int)min_t(u32, val, max);
	sk->sk_rcvbuf_locked = true;
	sk->sk_rcvbuf = max_t(int, val * 2, M_RCVBUF_MIN);
}

static int sock_set_timeout(struct sock *sk, const struct sockopt_arg *arg)
{
	struct timeval_m tv;

	if (arg->len < (int)sizeof(tv))
		return opt_exit(sk, -EINVAL, REASON_OPT_LENGTH);
	if (!copy_from_opt(&tv, arg, sizeof(tv)))
		return opt_exit(sk, -EFAULT, REASON_OPT_FAULT);
	if (tv.tv_usec < 0 || tv.tv_usec >= 1000000)
		return opt_exit(sk, -EDOM, REASON_OPT_VALUE);
	if (tv.tv_sec < 0) {
		sk->sk_rcvtimeo = 0;
		return 0;
	}
	sk->sk_rcvtimeo = MAX_SCHEDULE_TIMEOUT;
	if ((tv.tv_sec || tv.tv_usec) &&
	    tv.tv_sec < MAX_SCHEDULE_TIMEOUT / NSEC_PER_SEC - 1)
		sk->sk_rcvtimeo = tv.tv_sec * NSEC_PER_SEC + tv.tv_usec * 1000;
	return 0;
}

static int sock_set_peek_off(struct sock *sk, int val)
{
	if (m_has(sk->k, CHANGE_NO_PEEK_OFF))
		return opt_exit(sk, -EOPNOTSUPP, REASON_OPT_UNKNOWN);
	sk->sk_peek_off = val;
	return 0;
}

/* One option, socket lock held; the reason is set for success already. */
static int sock_set_locked(struct sock *sk, int opt, int val,
			   const struct sockopt_arg *arg)
{
	switch (opt) {
	case SO_RCVBUF_M:
		sock_set_rcvbuf(sk, val);
		return 0;
	case SO_OOBINLINE_M:
		sk->sk_oobinline = val != 0;
		return 0;
	case SO_RCVLOWAT_M:
		return tcp_set_rcvlowat(sk, val < 0 ? INT32_MAX : val);
	case SO_RCVTIMEO_M:
		return sock_set_timeout(sk, arg);
	case SO_PEEK_OFF_M:
		return sock_set_peek_off(sk, val);
	default:
		return opt_exit(sk, -ENOPROTOOPT, REASON_OPT_UNKNOWN);
	}
}

int sock_setsockopt(struct sock *sk, int opt, struct sockopt_arg *arg)
{
	int val, ret;

	if (arg->len < (int)sizeof(val))
		return opt_exit(sk, -EINVAL, REASON_OPT_LENGTH);
	if (!copy_from_opt(&val, arg, sizeof(val)))
		return opt_exit(sk, -EFAULT, REASON_OPT_FAULT);

	lock_sock(sk);
	m_reason(sk->k, REASON_OPT_DONE);
	ret = sock_set_locked(sk, opt, val, arg);
	release_sock(sk);
	return ret;
}

/* Copies out at most what the caller has room for, and says how much. */
static int copy_to_opt(struct sock *sk, struct sockopt_arg *arg,
		       const void *from, u32 size)
{
	u32 len = min_t(u32, arg->len, size);

	if (len && (!arg->val || arg->size < len))
		return opt_exit(sk, -EFAULT, REASON_OPT_FAULT);
	if (len)
		memcpy(arg->val, from, len);
	arg->out_len = (int)len;
	return opt_exit(sk, 0, REASON_OPT_DONE);
}

static int sock_get_timeout(struct sock *sk, struct sockopt_arg *arg)
{
	struct timeval_m tv = { 0, 0 };

	if (sk->sk_rcvtimeo != MAX_SCHEDULE_TIMEOUT) {
		tv.tv_sec = sk->sk_rcvtimeo / NSEC_PER_SEC;
		tv.tv_usec = sk->sk_rcvtimeo % NSEC_PER_SEC / 1000;
	}
	return copy_to_opt(sk, arg, &tv, sizeof(tv));
}

int sock_getsockopt(struct sock *sk, int opt, struct sockopt_arg *arg)
{
	int val;

	arg->out_len = arg->len;
	if (arg->len < 0)
		return opt_exit(sk, -EINVAL, REASON_OPT_LENGTH);
	switch (opt) {
	case SO_ERROR_M:
		val = -sock_error(sk);
		break;
	case SO_RCVBUF_M:
		val = sk->sk_rcvbuf;
		break;
	case SO_OOBINLINE_M:
		val = sk->sk_oobinline;
		break;
	case SO_RCVLOWAT_M:
		val = sk->sk_rcvlowat;
		break;
	case SO_RCVTIMEO_M:
		return sock_get_timeout(sk, arg);
	case SO_PEEK_OFF_M:
		if (m_has(sk->k, CHANGE_NO_PEEK_OFF))
			return opt_exit(sk, -EOPNOTSUPP, REASON_OPT_UNKNOWN);
		val = sk->sk_peek_off;
		break;
	default:
		return opt_exit(sk, -ENOPROTOOPT, REASON_OPT_UNKNOWN);
	}
	return copy_to_opt(sk, arg, &val, sizeof(val));
}
