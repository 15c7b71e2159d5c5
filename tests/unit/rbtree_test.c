// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of model/rbtree.c: shapes written as "root(left right)", '-' for a
 * missing child, '*' behind red nodes; and the rules, over many trees.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "model/rbtree.h"

#define NODES 32

static struct rb_node nodes[NODES];
static struct rb_root root;
static char shape[1024];

static void setup(void)
{
	root.rb_node = NULL;
}

static int num(const struct rb_node *node)
{
	return (int)(node - nodes);
}

static void insert(int n)
{
	struct rb_node **link = &root.rb_node, *parent = NULL;

	while (*link) {
		parent = *link;
		link = n < num(parent) ? &parent->rb_left : &parent->rb_right;
	}
	rb_link_node(&nodes[n], parent, link);
	rb_insert_color(&nodes[n], &root);
}

static void insert_upto(int n)
{
	int i;

	for (i = 1; i <= n; i++)
		insert(i);
}

static void draw(const struct rb_node *node)
{
	char *end = shape + strlen(shape);

	if (!node) {
		strcat(shape, "-");
		return;
	}
	snprintf(end, 16, "%d%s", num(node), node->red ? "*" : "");
	if (!node->rb_left && !node->rb_right)
		return;
	strcat(shape, "(");
	draw(node->rb_left);
	strcat(shape, " ");
	draw(node->rb_right);
	strcat(shape, ")");
}

static const char *drawn(void)
{
	shape[0] = '\0';
	draw(root.rb_node);
	return shape;
}

/* Black nodes down to any missing child; the order and the rules on the way. */
static int height(const struct rb_node *node, int above, int below)
{
	int left, right;

	if (!node)
		return 0;
	ck_assert_int_gt(num(node), above);
	ck_assert_int_lt(num(node), below);
	if (node->rb_parent)
		ck_assert(!node->red || !node->rb_parent->red);
	left = height(node->rb_left, above, num(node));
	right = height(node->rb_right, num(node), below);
	ck_assert_int_eq(left, right);
	return left + !node->red;
}

static void check_rules(void)
{
	ck_assert(!root.rb_node || !root.rb_node->red);
	ck_assert(!root.rb_node || !root.rb_node->rb_parent);
	height(root.rb_node, -1, NODES);
}

START_TEST(rb_insert_color__two_and_three)
{
	insert(2);
	insert(1);
	ck_assert_str_eq(drawn(), "2(1* -)");
	insert(0);
	ck_assert_str_eq(drawn(), "1(0* 2*)");
}
END_TEST

START_TEST(rb_insert_color__inner_child)
{
	insert(1);
	insert(3);
	insert(2);
	ck_assert_str_eq(drawn(), "2(1* 3*)");
}
END_TEST

START_TEST(rb_insert_color__ascending)
{
	insert_upto(7);
	ck_assert_str_eq(drawn(), "2(1 4*(3 6(5* 7*)))");
	insert(8);
	ck_assert_str_eq(drawn(), "4(2*(1 3) 6*(5 7(- 8*)))");
}
END_TEST

START_TEST(rb_erase__leaf_and_root)
{
	insert_upto(3);
	rb_erase(&nodes[1], &root);
	ck_assert_str_eq(drawn(), "2(- 3*)");
	rb_erase(&nodes[2], &root);
	ck_assert_str_eq(drawn(), "3");
	rb_erase(&nodes[3], &root);
	ck_assert_ptr_null(root.rb_node);
}
END_TEST

START_TEST(rb_erase__next_takes_the_place)
{
	insert_upto(7);
	rb_erase(&nodes[2], &root);
	ck_assert_str_eq(drawn(), "3(1 6*(4(- 5*) 7))");
}
END_TEST

START_TEST(rb_erase__red_sibling)
{
	insert_upto(7);
	rb_erase(&nodes[1], &root);
	ck_assert_str_eq(drawn(), "4(2(- 3*) 6(5* 7*))");
}
END_TEST

START_TEST(rb_replace_node__same_shape)
{
	insert_upto(3);
	rb_replace_node(&nodes[1], &nodes[0], &root);
	ck_assert_str_eq(drawn(), "2(0* 3*)");
	rb_replace_node(&nodes[3], &nodes[4], &root);
	ck_assert_str_eq(drawn(), "2(0* 4*)");
}
END_TEST

/* Every step of a multiplicative walk in and out keeps the rules. */
START_TEST(rb_erase__any_order_keeps_the_rules)
{
	int in, out, i, n;

	for (in = 1; in < NODES; in += 4) {
		for (out = 1; out < NODES; out += 10) {
			for (i = 0; i < NODES; i++) {
				insert(i * in % NODES);
				check_rules();
			}
			for (i = 0; i < NODES; i++) {
				n = i * out % NODES;
				rb_erase(&nodes[n], &root);
				check_rules();
			}
			ck_assert_ptr_null(root.rb_node);
		}
	}
}
END_TEST

Suite *rbtree_test_suite(void);
Suite *rbtree_test_suite(void)
{
	Suite *s = suite_create("rbtree");
	TCase *tc = tcase_create("rbtree");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, rb_insert_color__two_and_three);
	tcase_add_test(tc, rb_insert_color__inner_child);
	tcase_add_test(tc, rb_insert_color__ascending);
	tcase_add_test(tc, rb_erase__leaf_and_root);
	tcase_add_test(tc, rb_erase__next_takes_the_place);
	tcase_add_test(tc, rb_erase__red_sibling);
	tcase_add_test(tc, rb_replace_node__same_shape);
	tcase_add_test(tc, rb_erase__any_order_keeps_the_rules);
	suite_add_tcase(s, tc);
	return s;
}
