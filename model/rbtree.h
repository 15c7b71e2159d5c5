/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Red-black trees with the shape the kernel's have. The order of nodes is the
 * caller's.
 */
#ifndef MODEL_RBTREE_H
#define MODEL_RBTREE_H

#include "model/types.h"

/**
 * struct rb_node - a node, inside what it stands for
 * @rb_parent: NULL at the root
 * @rb_left: before it
 * @rb_right: behind it
 * @red: colour
 */
struct rb_node {
	struct rb_node *rb_parent;
	struct rb_node *rb_left;
	struct rb_node *rb_right;
	bool red;
};

/**
 * struct rb_root - a tree
 * @rb_node: its root, NULL: empty
 */
struct rb_root {
	struct rb_node *rb_node;
};

/**
 * rb_link_node() - hang in a new leaf
 * @node: which
 * @parent: its parent, NULL in an empty tree
 * @link: the parent's pointer, or the root's, that is NULL so far
 *
 * rb_insert_color() has to follow.
 */
void rb_link_node(struct rb_node *node, struct rb_node *parent,
		  struct rb_node **link);
/* Balances the tree after rb_link_node(). */
void rb_insert_color(struct rb_node *node, struct rb_root *root);
/* Takes @node off and balances the tree. */
void rb_erase(struct rb_node *node, struct rb_root *root);
/* Puts @new where @victim is, which is not touched. */
void rb_replace_node(const struct rb_node *victim, struct rb_node *new,
		     struct rb_root *root);

#endif
