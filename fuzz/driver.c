// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Main program of the fuzz targets where there is no libFuzzer: replays files,
 * or makes up random inputs.
 *
 *   fuzz_x FILE|DIR...            each file once, those of a directory by name
 *   fuzz_x -runs=N [-seed=S] [-max_len=L] [FILE|DIR...]   then N random inputs
 *
 * Options with two dashes go to the target (common.h), others with one
 * are libFuzzer's and are ignored. AFL++ can use it with a file argument.
 *
 * Left out: coverage guidance and mutation.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz/common.h"

#define INPUT_MAX (1u << 20)

static u64 done;

static int run_file(const char *path)
{
	uint8_t *buf = malloc(INPUT_MAX), *input;
	FILE *f = fopen(path, "rb");
	size_t n = 0;

	if (f && buf)
		n = fread(buf, 1, INPUT_MAX, f);
	/* exactly that many bytes, so that sanitizers see reads behind them */
	input = malloc(n ? n : 1);
	if (!f || !buf || !input) {
		fprintf(stderr, "fuzz: cannot read %s\n", path);
		exit(2);
	}
	fclose(f);
	memcpy(input, buf, n);
	free(buf);
	LLVMFuzzerTestOneInput(input, n);
	free(input);
	done++;
	return 0;
}

static int visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static int run_path(const char *path)
{
	struct dirent **names;
	struct stat st;
	char file[4096];
	int i, n, ret = 0;

	if (stat(path, &st)) {
		fprintf(stderr, "fuzz: there is no %s\n", path);
		return -1;
	}
	if (!S_ISDIR(st.st_mode))
		return run_file(path);
	n = scandir(path, &names, visible, alphasort);
	for (i = 0; i < n; i++) {
		snprintf(file, sizeof(file), "%s/%s", path, names[i]->d_name);
		if (run_path(file))
			ret = -1;
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return ret;
}

static void run_random(u64 runs, u64 seed, u32 max_len)
{
	uint8_t *buf = malloc(max_len + 1);
	struct sim_choice c;
	u32 i, len;

	if (!buf)
		abort();
	choice_seed(&c, seed);
	while (runs--) {
		len = sim_choose(&c, max_len + 1);
		for (i = 0; i < len; i++)
			buf[i] = (uint8_t)sim_choose(&c, 256);
		LLVMFuzzerTestOneInput(buf, len);
		done++;
	}
	free(buf);
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
	(void)data;
	(void)max_size;
	return size;
}

static bool number(const char *arg, const char *name, u64 *out)
{
	size_t len = strlen(name);

	if (strncmp(arg, name, len) != 0)
		return false;
	*out = strtoull(arg + len, NULL, 0);
	return true;
}

int main(int argc, char **argv)
{
	u64 runs = 0, seed = 1, max_len = 1024;
	int i, ret = 0;

	LLVMFuzzerInitialize(&argc, &argv);
	for (i = 1; i < argc; i++) {
		if (argv[i][0] == '-') {
			if (!number(argv[i], "-runs=", &runs) &&
			    !number(argv[i], "-seed=", &seed))
				number(argv[i], "-max_len=", &max_len);
		} else if (run_path(argv[i])) {
			ret = 2;
		}
	}
	run_random(runs, seed, (u32)max_len);
	printf("%llu inputs\n", (unsigned long long)done);
	if (!done) {
		fprintf(stderr, "fuzz: nothing ran; expected FILE, DIR or "
				"-runs=N\n");
		return 2;
	}
	return ret;
}
