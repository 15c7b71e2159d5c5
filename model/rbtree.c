// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Red-black trees.
 *
 *        b                 A red node's children are black; every way from the
 *       / \                root to a missing child has as many black nodes.
 *      a   d               New nodes are red. A tree of three is always
 *         / \              balanced: the one in the middle is the root.
 *        c   e
 *
 * What matters here is the shape, since a search of the out-of-order queue
 * acts on the entries it passes: rotations and recolouring are those of the
 * textbook, as in the kernel.
 * Left out: augmented and cached trees, walking.
 *
 * Mirrors lib/rbtree.c rb_insert_color(), rb_erase(), rb_replace_node();
 * include/linux/rbtree.h rb_link_node().
 */
#include "model/rbtree.h"

static bool is_red(const struct rb_node *node)
{
	return node && node->red;
}

/* The pointer that leads to @node. */
static struct rb_node **link_to(struct rb_node *node, struct rb_root *root)
{
	struct rb_node *parent = node->rb_parent;

	if (!parent)
		return &root->rb_node;
	return parent->rb_left == node ? &parent->rb_left : &parent->rb_right;
}

static struct rb_node **child_of(struct rb_node *node, bool left)
{
	return left ? &node->rb_left : &node->rb_right;
}

/* The child on the other side comes up, @node goes down to @left. */
static void rotate(struct rb_node *node, bool left, struct rb_root *root)
{
	struct rb_node *up = *child_of(node, !left);
	struct rb_node *inner = *child_of(up, left);

	*link_to(node, root) = up;
	up->rb_parent = node->rb_parent;
	*child_of(up, left) = node;
	node->rb_parent = up;
	*child_of(node, !left) = inner;
	if (inner)
		inner->rb_parent = node;
}

void rb_link_node(struct rb_node *node, struct rb_node *parent,
		  struct rb_node **link)
{
	*node = (struct rb_node){ .rb_parent = parent, .red = true };
	*link = node;
}

void rb_insert_color(struct rb_node *node, struct rb_root *root)
{
	struct rb_node *parent, *gparent, *uncle;
	bool left;

	while (is_red(parent = node->rb_parent)) {
		gparent = parent->rb_parent;
		left = parent == gparent->rb_left;
		uncle = *child_of(gparent, !left);
		if (is_red(uncle)) {
			parent->red = false;
			uncle->red = false;
			gparent->red = true;
			node = gparent;
			continue;
		}
		if (node == *child_of(parent, !left)) {
			rotate(parent, left, root);
			parent = node;
		}
		parent->red = false;
		gparent->red = true;
		rotate(gparent, !left, root);
		break;
	}
	root->rb_node->red = false;
}

/* @parent's child on side @left has a black node too few below it. True: the
 * lack is @parent's now. */
static bool erase_step(struct rb_node *parent, bool left, struct rb_root *root)
{
	struct rb_node *sibling = *child_of(parent, !left);
	struct rb_node *inner;

	if (sibling->red) {
		sibling->red = false;
		parent->red = true;
		rotate(parent, left, root);
		sibling = *child_of(parent, !left);
	}
	inner = *child_of(sibling, left);
	if (!is_red(*child_of(sibling, !left))) {
		if (!is_red(inner)) {
			sibling->red = true;
			return true;
		}
		inner->red = false;
		sibling->red = true;
		rotate(sibling, !left, root);
		sibling = inner;
	}
	sibling->red = parent->red;
	parent->red = false;
	(*child_of(sibling, !left))->red = false;
	rotate(parent, left, root);
	return false;
}

static void erase_fixup(struct rb_node *parent, bool left, struct rb_root *root)
{
	struct rb_node *node = *child_of(parent, left);

	while (parent && !is_red(node)) {
		if (!erase_step(parent, left, root))
			return;
		node = parent;
		parent = node->rb_parent;
		left = parent && parent->rb_left == node;
	}
	node->red = false;
}

void rb_replace_node(const struct rb_node *victim, struct rb_node *new,
		     struct rb_root *root)
{
	struct rb_node *parent = victim->rb_parent;

	*new = *victim;
	if (!parent)
		root->rb_node = new;
	else
		*child_of(parent, parent->rb_left == victim) = new;
	if (new->rb_left)
		new->rb_left->rb_parent = new;
	if (new->rb_right)
		new->rb_right->rb_parent = new;
}

/* Takes off a node with one child at most. */
static void erase_simple(struct rb_node *node, struct rb_root *root)
{
	struct rb_node *child = node->rb_left ? node->rb_left : node->rb_right;
	struct rb_node *parent = node->rb_parent;
	bool left = parent && parent->rb_left == node;

	*link_to(node, root) = child;
	if (child)
		child->rb_parent = parent;
	if (node->red)
		return;
	if (is_red(child))
		child->red = false;
	else if (parent)
		erase_fixup(parent, left, root);
}

void rb_erase(struct rb_node *node, struct rb_root *root)
{
	struct rb_node *next;

	if (!node->rb_left || !node->rb_right) {
		erase_simple(node, root);
		return;
	}
	/* The next one takes its place. */
	for (next = node->rb_right; next->rb_left;)
		next = next->rb_left;
	erase_simple(next, root);
	rb_replace_node(node, next, root);
}
