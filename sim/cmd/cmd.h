/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands of the program. Each takes its own arguments (argv[0] is the
 * command's name) and returns the exit code.
 */
#ifndef SIM_CMD_H
#define SIM_CMD_H

int cmd_run(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_why(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_bisect(int argc, char **argv);
int cmd_shrink(int argc, char **argv);
int cmd_claims(int argc, char **argv);
int cmd_explore(int argc, char **argv);
int cmd_exam(int argc, char **argv);
int cmd_judge(int argc, char **argv);
int cmd_fmt(int argc, char **argv);
int cmd_fuzz_stats(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_profiles(int argc, char **argv);
int cmd_changes(int argc, char **argv);
int cmd_invariants(int argc, char **argv);
int cmd_reasons(int argc, char **argv);
int cmd_findings(int argc, char **argv);

struct option;
/**
 * cmd_getopt() - getopt_long() that tells what is wrong in the program's way
 * @argc: as there
 * @argv: likewise; the first is the command's name
 * @brief: letters
 * @opts: words
 *
 * '?' after one line on stderr.
 */
int cmd_getopt(int argc, char **argv, const char *brief,
	       const struct option *opts);
/* Says "ktlsim: OPTION 'VALUE' is unknown, expected WHAT"; returns -1. */
int cmd_bad_value(const char *option, const char *value, const char *what);
/* The exit code: @ret, or 2 when stdout did not take all that was printed. */
int cmd_end(int ret);

#endif
