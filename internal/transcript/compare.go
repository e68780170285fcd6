package transcript

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// hidden is the text that replaces secrets.
const hidden = "(hidden)"

// ids are the paths of ids that differ in each session. They are not handles: a short one may also be an argument.
var ids = []path{{"id"}, {"params", "progressToken"}, {"params", "requestId"}, {"params", "_meta", "progressToken"}}

// A comparison compares two messages.
type comparison struct {
	ignore      []path
	at          path
	differences int
	found       []Difference      // the first ones, with Path, Was and Is
	handles     map[string]string // texts that may differ: the recorded one to the new one
}

// compare compares a message with the recorded one. It returns the message with the recorded values where they may
// differ.
func (c *comparison) compare(was, is []byte) []byte {
	return c.merge(jsondoc.Parse(was), jsondoc.Parse(is)).AppendTo(nil)
}

// merge compares two values, either of which may be absent, and returns the new one, with the recorded parts that may
// differ.
func (c *comparison) merge(was, is *jsondoc.Value) *jsondoc.Value {
	matches := func(pattern path) bool { return pattern.matches(c.at) }
	isID := slices.ContainsFunc(ids, matches)
	if isID || slices.ContainsFunc(c.ignore, matches) {
		if !isID {
			c.keepHandles(was, is)
		}
		if was == nil {
			return is
		}
		return was
	}
	switch {
	case was != nil && was.Text() == hidden && is != nil && is.Kind == rawjson.Number:
		return was
	case was == nil || is == nil || was.Kind != is.Kind:
		c.differ(was, is)
	case was.Kind == rawjson.Object:
		return c.mergeObjects(was, is)
	case was.Kind == rawjson.Array:
		return c.mergeArrays(was, is)
	case was.Kind == rawjson.String:
		return c.mergeTexts(was, is)
	case !bytes.Equal(was.Raw, is.Raw):
		c.differ(was, is)
	}
	return is
}

// step is merge of a part.
func (c *comparison) step(step string, was, is *jsondoc.Value) *jsondoc.Value {
	c.at = append(c.at, step)
	defer func() { c.at = c.at[:len(c.at)-1] }()
	return c.merge(was, is)
}

func (c *comparison) mergeObjects(was, is *jsondoc.Value) *jsondoc.Value {
	merged := jsondoc.Object()
	add := func(name string, value *jsondoc.Value) {
		if value != nil {
			merged.Members = append(merged.Members, jsondoc.Member{Name: name, Value: value})
		}
	}
	for _, m := range was.Members {
		if is.Get(m.Name) == nil {
			add(m.Name, c.step(m.Name, m.Value, nil))
		}
	}
	for _, m := range is.Members {
		add(m.Name, c.step(m.Name, was.Get(m.Name), m.Value))
	}
	return merged
}

// mergeArrays compares elements by their index. In arrays of different lengths it first takes away the equal elements at
// both ends, so that an element which was inserted is one difference.
func (c *comparison) mergeArrays(was, is *jsondoc.Value) *jsondoc.Value {
	first, after := 0, 0 // equal elements
	short := min(len(was.Items), len(is.Items))
	if len(was.Items) != len(is.Items) {
		equal := func(i, j int) bool {
			return bytes.Equal(was.Items[i].AppendTo(nil), is.Items[j].AppendTo(nil))
		}
		for first < short && equal(first, first) {
			first++
		}
		for after < short-first && equal(len(was.Items)-1-after, len(is.Items)-1-after) {
			after++
		}
	}
	w, n := was.Items[first:len(was.Items)-after], is.Items[first:len(is.Items)-after]
	merged := jsondoc.Array(is.Items[:first:first]...)
	for i := range max(len(w), len(n)) {
		if item := c.step("["+strconv.Itoa(first+i)+"]", nth(w, i), nth(n, i)); item != nil {
			merged.Items = append(merged.Items, item)
		}
	}
	merged.Items = append(merged.Items, is.Items[len(is.Items)-after:]...)
	return merged
}

// nth returns an item, nil if there is none.
func nth(items []*jsondoc.Value, i int) *jsondoc.Value {
	if i < len(items) {
		return items[i]
	}
	return nil
}

// mergeTexts compares two strings, as JSON if both are objects or arrays.
func (c *comparison) mergeTexts(was, is *jsondoc.Value) *jsondoc.Value {
	w, n := was.Text(), is.Text()
	switch {
	case w == n || stands(w, n):
		return was
	case isContainer(w) && isContainer(n):
		before := c.differences
		if c.compare([]byte(w), []byte(n)); c.differences == before {
			return was
		}
	default:
		c.differ(was, is)
	}
	return is
}

// stands reports whether text is a recorded one in which secrets are hidden.
func stands(recorded, text string) bool {
	parts := strings.Split(recorded, hidden)
	if len(parts) == 1 || !strings.HasPrefix(text, parts[0]) {
		return false
	}
	text = text[len(parts[0]):]
	for _, part := range parts[1 : len(parts)-1] {
		_, after, ok := strings.Cut(text, part)
		if !ok {
			return false
		}
		text = after
	}
	return strings.HasSuffix(text, parts[len(parts)-1])
}

// isContainer reports whether text is a JSON object or array.
func isContainer(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && (text[0] == '{' || text[0] == '[') && rawjson.Valid([]byte(text), maxDepth) == nil
}

// keepHandles keeps the texts of two values that may differ.
func (c *comparison) keepHandles(was, is *jsondoc.Value) {
	if w, n := was.Text(), is.Text(); w != "" && n != "" && w != n {
		c.handles[w] = n
	}
	for _, m := range was.Entries() {
		c.keepHandles(m.Value, is.Get(m.Name))
	}
	for i, item := range was.Elements() {
		c.keepHandles(item, nth(is.Elements(), i))
	}
}

// maxFound is the maximum number of differences of one message that are reported.
const maxFound = 20

func (c *comparison) differ(was, is *jsondoc.Value) {
	if c.differences++; c.differences <= maxFound {
		w, n := show(was), show(is)
		at := 0 // where they begin to differ
		for at < min(len(w), len(n)) && w[at] == n[at] {
			at++
		}
		c.found = append(c.found, Difference{Path: c.at.String(), Was: around(w, at), Is: around(n, at)})
	}
}

// show returns a value as JSON, "" if it is absent.
func show(v *jsondoc.Value) string {
	if v == nil {
		return ""
	}
	return printable(string(v.AppendTo(nil)))
}

// around returns a part of a long text that has the character at an offset.
func around(text string, at int) string {
	const before, most = 40, 160
	if len(text) <= most {
		return text
	}
	head, tail := "", ""
	if at > before*2 {
		head, text = "…", text[at-before:]
	}
	if len(text) > most {
		text, tail = text[:most], "…"
	}
	return head + strings.ToValidUTF8(text, "") + tail
}
