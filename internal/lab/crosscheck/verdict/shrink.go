package verdict

import (
	"slices"
)

// shrink reduces an input with a wrong verdict, and its type, to the smallest found with the same kind of verdict.
func shrink(t *trial, data []byte, what string, check func(*trial, []byte) finding) Wrong {
	fails := func(t *trial, data []byte) bool { return check(t, data).wrong != "" }
	data = shrinkData(data, func(data []byte) bool { return fails(t, data) })
	for again := true; again && t.Smaller != nil; {
		again = false
		for s := range t.Smaller() {
			small, err := prepare(s)
			if err != nil {
				continue
			}
			for _, d := range [][]byte{data, pruned(data, small.in.judge.schema)} {
				if fails(small, d) {
					t, data, again = small, d, true
					break
				}
			}
			if again {
				break
			}
		}
	}
	data = shrinkData(data, func(data []byte) bool { return fails(t, data) })
	return Wrong{
		Subject: t.Name, Source: t.Source(), Schema: string(t.in.Schema().JSON()), Value: string(data),
		What: what + ": " + check(t, data).wrong,
	}
}

// shrinkData removes parts of a JSON text while it still fails.
func shrinkData(data []byte, fails func([]byte) bool) []byte {
	root, err := parse(data)
	if err != nil || !fails(root.JSON()) {
		return data
	}
	for again := true; again; {
		again = false
		for i := range root.all() {
			for _, smaller := range reductions(root, i) {
				if fails(smaller.JSON()) {
					root, again = smaller, true
					break
				}
			}
			if again {
				break
			}
		}
	}
	return root.JSON()
}

// reductions returns copies of root with a smaller value at an index in all.
func reductions(root *node, at int) []*node {
	var smaller []*node
	old := root.all()[at]
	for i := range old.values {
		c := root.clone()
		n := c.all()[at]
		n.values = slices.Delete(n.values, i, i+1)
		if n.kind == '{' {
			n.names = slices.Delete(n.names, i, i+1)
		}
		smaller = append(smaller, c)
	}
	for _, text := range []string{"0", `""`} {
		if len(text) < len(old.JSON()) && (old.kind != 0 || old.isString() == (text == `""`)) {
			c := root.clone()
			*c.all()[at] = node{text: text}
			smaller = append(smaller, c)
		}
	}
	return smaller
}

// pruned removes members of an object without a property in the schema.
func pruned(data []byte, schema *node) []byte {
	root, err := parse(data)
	properties := schema.at("/properties")
	if err != nil || root.kind != '{' || properties == nil {
		return data
	}
	c := &node{kind: '{'}
	for i, name := range root.names {
		if slices.Contains(properties.names, name) {
			c.names, c.values = append(c.names, name), append(c.values, root.values[i])
		}
	}
	return c.JSON()
}
