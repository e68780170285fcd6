package jsonquery

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/internal/suggest"
)

// Query selects parts of a document. The tags describe it as arguments of a tool.
type Query struct {
	Path      string      `json:"path,omitempty" jsonschema:"maxLength=1000" doc:"The part to read, such as orders or orders.3.lines. In orders.*.lines, * is every element or member; ** is any depth. Default: everything."`
	Fields    []string    `json:"fields,omitempty" jsonschema:"maxItems=50" doc:"Members of the rows to return, such as customer.city. Default: all."`
	Where     []Condition `json:"where,omitempty" jsonschema:"maxItems=20" doc:"Conditions for rows. All must hold."`
	Sort      []Order     `json:"sort,omitempty" jsonschema:"maxItems=5"`
	Group     []string    `json:"group,omitempty" jsonschema:"maxItems=5" doc:"Members by which rows are grouped. Returns one row for each group."`
	Aggregate []Aggregate `json:"aggregate,omitempty" jsonschema:"maxItems=10" doc:"Values of each group, or without group of all rows. Sort them by names such as count or sum_total."`
	Search    string      `json:"search,omitempty" jsonschema:"maxLength=500" doc:"Returns the lines of texts that contain this, in upper or lower case as given."`
	Regexp    bool        `json:"regexp,omitempty" doc:"Search is a regular expression in RE2 syntax."`
	Context   int         `json:"context,omitempty" jsonschema:"minimum=0,maximum=20" doc:"Lines before and after each match."`
	Offset    int         `json:"offset,omitempty" doc:"Rows, lines or matches to skip. A negative number counts from the end: -20 returns the last 20."`
	Limit     int         `json:"limit,omitempty" jsonschema:"minimum=1,maximum=1000" doc:"The maximum of rows, lines or matches. Default: as many as fit."`
}

// Operand is JSON with which a condition compares: a text, a number, a boolean, or a list of them.
type Operand []byte

// MarshalJSON returns the JSON.
func (o Operand) MarshalJSON() ([]byte, error) { return o, nil }

// UnmarshalJSON copies the JSON.
func (o *Operand) UnmarshalJSON(data []byte) error {
	*o = bytes.Clone(data)
	return nil
}

// Comparison is a condition without alternatives.
type Comparison struct {
	Field string  `json:"field" jsonschema:"maxLength=200" doc:"A member, such as customer.city; _value is the row itself, _key its name in a map."`
	Op    string  `json:"op" jsonschema:"enum=eq,enum=ne,enum=lt,enum=le,enum=gt,enum=ge,enum=contains,enum=in,enum=is_null,enum=not_null"`
	Value Operand `json:"value,omitempty" doc:"A text, number or boolean; for in, a list of them."`
}

// Condition is a comparison, or several of which one must hold.
type Condition struct {
	Field string       `json:"field,omitempty" jsonschema:"maxLength=200" doc:"A member, such as customer.city; _value is the row itself, _key its name in a map."`
	Op    string       `json:"op,omitempty" jsonschema:"enum=eq,enum=ne,enum=lt,enum=le,enum=gt,enum=ge,enum=contains,enum=in,enum=is_null,enum=not_null"`
	Value Operand      `json:"value,omitempty" doc:"A text, number or boolean; for in, a list of them."`
	Any   []Comparison `json:"any,omitempty" jsonschema:"maxItems=20" doc:"Instead of field, op and value: conditions of which one must hold."`
}

// Order is a column to sort by.
type Order struct {
	Field string `json:"field" jsonschema:"maxLength=200"`
	Desc  bool   `json:"desc,omitempty"`
}

// Aggregate is a value that is computed of rows.
type Aggregate struct {
	Fn    string `json:"fn" jsonschema:"enum=count,enum=sum,enum=min,enum=max,enum=avg"`
	Field string `json:"field,omitempty" jsonschema:"maxLength=200" doc:"count does not need one; with one it counts the rows that have it."`
}

// Answer runs a query, and returns a JSON object that as a JSON string has at most size bytes. Characters that can hide text are
// escaped. The object has one of these members:
//
//   - value: a part, with beginnings of lists, maps and texts that are listed in cut if the whole does not fit;
//   - rows: elements, members or groups; matched is their number, of the number before the conditions, and paths are their
//     locations if they are not the elements of one list;
//   - text: lines of a text, whose number is lines;
//   - matches: lines of texts that match.
//
// If something follows, next is the offset of the next page. The schema has names of columns that no row has. Except for the
// error of ctx, errors are mistakes in the query, and describe a fix.
func (d *Document) Answer(ctx context.Context, in *Query, schema Schema, size int) ([]byte, error) {
	const frame = 150 // bytes around rows
	q := &query{ctx: ctx, doc: d, in: in, budget: size - frame, tokens: parsePath(in.Path), schema: schema}
	answer, err := q.answer()
	return visible(answer), err
}

// query is a running [Query].
type query struct {
	ctx     context.Context
	doc     *Document
	in      *Query
	budget  int // of the answer, in bytes as sent
	schema  Schema
	tokens  []string // of the path
	rows    []int32
	isPaths bool               // the answer has the paths of rows, because they are not the elements of one list
	columns map[string]*column // by name
	spent   int                // bytes since the last look at the context
}

// spend returns the error of the context from time to time. It is called for work on a number of bytes, such as a row.
func (q *query) spend(bytes int) error {
	const often = 64 << 10
	if q.spent += bytes; q.spent < often {
		return nil
	}
	q.spent = 0
	return q.ctx.Err()
}

// answer returns the answer as JSON.
func (q *query) answer() ([]byte, error) {
	found, isPattern, err := q.find()
	if err != nil {
		return nil, err
	}
	in, n := q.in, found[0]
	hasRows := len(in.Where)+len(in.Sort)+len(in.Group)+len(in.Aggregate) > 0
	switch {
	case in.Search != "" && hasRows:
		return nil, fmt.Errorf("search cannot be combined with where, sort, group and aggregate; use the condition contains")
	case in.Search != "":
		return q.search(found)
	case isPattern:
		q.isPaths = true
		q.flatten(found)
	case q.doc.Kind(n) == rawjson.String && !hasRows:
		return q.page(q.doc.Text(n))
	case q.doc.Kind(n) == rawjson.Array:
		q.addChildren(n)
	case q.doc.Kind(n) != rawjson.Object, !hasRows && len(in.Fields) > 0:
		q.rows = found
	case !hasRows && in.Offset == 0 && in.Limit == 0:
		value, cuts, ok := q.appendValue([]byte(`{"value":`), n, q.budget-q.budget/4)
		if isMap := slices.ContainsFunc(cuts, func(c Cut) bool { return c.Node == n }); ok && !isMap {
			return append(q.appendCuts(value, cuts), '}'), nil
		}
		fallthrough
	default:
		q.isPaths = true
		q.addChildren(n)
	}
	return q.table()
}

// find returns the nodes that the path leads to, in document order, and whether it is a pattern, which can lead to several.
func (q *query) find() (found []int32, isPattern bool, err error) {
	found = []int32{0}
	for i, token := range q.tokens {
		if err := q.ctx.Err(); err != nil { // each token can lead to all nodes
			return nil, false, err
		}
		before := found
		if hasName := len(before) == 1 && q.doc.Child(before[0], token) >= 0; hasName || token != anyChild && token != anyDepth {
			found = q.doc.named(before, token)
		} else {
			found, isPattern = q.doc.all(before, token == anyDepth), true
		}
		if len(found) == 0 {
			return nil, isPattern, q.noPath(i+1, before)
		}
	}
	return found, isPattern, nil
}

// addChildren adds the members or elements of a node to the rows.
func (q *query) addChildren(n int32) {
	for _, child := range q.doc.children(n) {
		q.rows = append(q.rows, child)
	}
}

// flatten makes the nodes of a pattern the rows: of lists their elements, and after ** only objects.
func (q *query) flatten(found []int32) {
	last := q.tokens[len(q.tokens)-1]
	for _, n := range found {
		switch kind := q.doc.Kind(n); {
		case last == anyDepth && kind != rawjson.Object:
		case last != anyChild && kind == rawjson.Array:
			q.addChildren(n)
		default:
			q.rows = append(q.rows, n)
		}
	}
}

// table returns the answer for rows.
func (q *query) table() ([]byte, error) {
	total := len(q.rows)
	tests, err := q.tests()
	if err != nil {
		return nil, err
	}
	if err := q.filter(tests); err != nil {
		return nil, err
	}
	matched := len(q.rows)
	if len(q.in.Group)+len(q.in.Aggregate) > 0 {
		groups, err := q.groups()
		if err != nil {
			return nil, err
		}
		if q.doc, err = New(groups); err != nil {
			return nil, err
		}
		q.rows, q.columns, q.isPaths, q.tokens, q.schema = nil, nil, false, nil, Schema{}
		q.addChildren(0)
	}
	if err := q.sort(); err != nil {
		return nil, err
	}
	return q.rowPage(matched, total)
}

// column reads a member of rows.
type column struct {
	name   string
	quoted []byte   // as JSON
	tokens []string // nil if the name has one token
}

// The columns that are not members.
const (
	rowValue = "_value" // the row itself
	rowKey   = "_key"   // its name, if it is a member
)

// column returns the column with this name. The error names similar ones if no row has it, and it is not in the output schema.
func (q *query) column(name string) (*column, error) {
	if c := q.columns[name]; c != nil {
		return c, nil
	}
	c := &column{name: name, quoted: rawjson.AppendMinimal(nil, name)}
	if tokens := parsePath(name); len(tokens) > 1 {
		c.tokens = tokens
	}
	exists := len(q.rows) == 0 || name == rowValue || name == rowKey
	for i := 0; i < len(q.rows) && !exists; i++ {
		if err := q.spend(q.doc.size(q.rows[i])); err != nil {
			return nil, err
		}
		exists = c.of(q.doc, q.rows[i]) != nil
	}
	if !exists {
		first, _, _ := strings.Cut(name, ".")
		if exists = slices.Contains(q.schema.columns(q.tokens), first); !exists {
			return nil, q.noColumn(name)
		}
	}
	if q.columns == nil {
		q.columns = map[string]*column{}
	}
	q.columns[name] = c
	return c, nil
}

// of returns the value of the column in a row as JSON; nil if it has none.
func (c *column) of(d *Document, row int32) []byte {
	if d.Kind(row) == rawjson.Object {
		if child := d.member(row, c.quoted); child >= 0 {
			return d.JSON(child)
		}
	}
	switch {
	case c.name == rowValue:
		return d.JSON(row)
	case c.name == rowKey:
		return d.quotedName(row)
	case c.tokens == nil:
		return nil
	}
	for _, token := range c.tokens {
		if row = d.Child(row, token); row < 0 {
			return nil
		}
	}
	return d.JSON(row)
}

// namesOf returns the names of the members of some of the rows, without those that are too long for a column.
func (q *query) namesOf(rows []int32) (names []string) {
	const sample, longest = 1000, 200
	seen := map[string]bool{}
	for _, row := range rows[:min(sample, len(rows))] {
		if q.doc.Kind(row) != rawjson.Object {
			continue
		}
		for _, child := range q.doc.children(row) {
			if name := q.doc.name(child); !seen[name] && len(name) <= longest && len(seen) < sample {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}

// noColumn returns the error for a column that no row has.
func (q *query) noColumn(name string) error {
	names := q.namesOf(q.rows)
	if len(names) == 0 {
		return fmt.Errorf("there is no column %q: the rows are not objects; use %q for the row itself", shorten(name), rowValue)
	}
	text := fmt.Sprintf("there is no column %q.", shorten(name))
	if near := suggest.Nearest(name, names); near != "" {
		text = fmt.Sprintf("there is no column %q; did you mean %q?", shorten(name), near)
		names = append([]string{near}, slices.DeleteFunc(names, func(other string) bool { return other == near })...)
	}
	return fmt.Errorf("%s The columns are %s. Example: %s", text, list(names), q.exampleOf(names[0]))
}

// exampleOf returns a condition that some row meets.
func (q *query) exampleOf(name string) string {
	c := column{name: name, quoted: rawjson.AppendMinimal(nil, name)}
	otherwise := "is_null"
	for _, row := range q.rows {
		value := c.of(q.doc, row)
		switch rawjson.KindOf(value) {
		case rawjson.String, rawjson.Number, rawjson.Bool:
			if len(value) <= shortText {
				return string(encode(Comparison{name, "eq", value}))
			}
			otherwise = "not_null"
		case rawjson.Object, rawjson.Array:
			return string(encode(Comparison{Field: name, Op: "not_null"}))
		default:
		}
	}
	return string(encode(Comparison{Field: name, Op: otherwise}))
}

// noPath returns the error for a path whose nth token leads nowhere from the nodes before it.
func (q *query) noPath(n int, before []int32) error {
	token, at := q.tokens[n-1], cmp.Or(joinPath(q.tokens[:n-1]), "the result")
	from := before[0]
	var names []string
	if i := slices.IndexFunc(before, func(b int32) bool { return q.doc.Kind(b) == rawjson.Object }); i >= 0 {
		from = before[i]
		names = q.namesOf(before[i : i+1])
	}
	switch kind := q.doc.Kind(from); {
	case kind == rawjson.Array:
		return fmt.Errorf("path: %s is a list of %d elements, and has no %q; an element is %s, and %s is all of them", at, q.doc.nodes[from].count, shorten(token), q.joined(n, "0"), q.joined(n, anyChild))
	case len(names) == 0:
		return fmt.Errorf("path: %s has no %q: it is %s", at, shorten(token), q.doc.Shape(from, shortText))
	}
	if near := suggest.Nearest(token, names); near != "" {
		return fmt.Errorf("path: %s has no %q; did you mean %q?", at, shorten(token), q.joined(n, near))
	}
	return fmt.Errorf("path: %s has no %q; it has %s. Example: %q", at, shorten(token), list(names), q.joined(n, names[0]))
}

// joined returns the path with the nth token replaced, and the tokens after it removed.
func (q *query) joined(n int, token string) string {
	return strings.Join(append(slices.Clone(q.tokens[:n-1]), token), ".")
}

// shorten returns a name of a client as an error repeats it.
func shorten(name string) string {
	if len(name) > shortText {
		return strings.ToValidUTF8(name[:shortText], "") + "…"
	}
	return name
}

// list joins names, as many as are useful in a text.
func list(names []string) string {
	const most = 20
	short := make([]string, 0, most)
	for _, name := range names[:min(most, len(names))] {
		short = append(short, shorten(name))
	}
	if len(names) > most {
		return strings.Join(short, ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(short, ", ")
}

// rowPage returns the answer for a page of the rows.
func (q *query) rowPage(matched, total int) ([]byte, error) {
	var fields []*column
	for _, name := range q.in.Fields {
		c, err := q.column(name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(fields, c) {
			fields = append(fields, c)
		}
	}
	offset := start(q.in.Offset, len(q.rows))
	rows := q.rows[offset:]
	if q.in.Limit > 0 {
		rows = rows[:min(q.in.Limit, len(rows))]
	}
	dst, paths := []byte(`{"rows":[`), []byte("[")
	room, shown := q.budget, 0
	var cuts []Cut
	for _, row := range rows {
		if err := q.ctx.Err(); err != nil { // a path takes time proportional to the rows before this one
			return nil, err
		}
		var path []byte
		if q.isPaths {
			path = encode(q.doc.Path(row))
		}
		value := q.doc.JSON(row)
		if len(fields) > 0 {
			value = project(q.doc, row, fields, room)
		}
		size := q.sentSize(value) + q.sentSize(path)
		if size > room && shown > 0 {
			break
		}
		if size > room {
			var ok bool
			if value, cuts, ok = q.appendValue(nil, row, room-room/4); !ok || len(fields) > 0 {
				return nil, fmt.Errorf("the row at offset %d is too large for one answer; select fewer fields, or read its parts by their paths", offset)
			}
		}
		room -= size
		dst, paths, shown = append(rawjson.AppendComma(dst), value...), append(rawjson.AppendComma(paths), path...), shown+1
	}
	dst = append(dst, ']')
	if q.isPaths {
		dst = append(append(rawjson.AppendName(dst, "paths"), paths...), ']')
	}
	dst = q.appendCuts(dst, cuts)
	name := "matched"
	if len(q.in.Group)+len(q.in.Aggregate) > 0 {
		dst = strconv.AppendInt(rawjson.AppendName(dst, name), int64(matched), 10)
		name = "groups"
	}
	dst = appendCounts(dst, offset, offset+shown, len(q.rows), name)
	if matched < total {
		dst = strconv.AppendInt(rawjson.AppendName(dst, "of"), int64(total), 10)
	}
	return append(dst, '}'), nil
}

// project returns an object with the fields of a row. If it has more than most bytes, some of the fields are missing.
func project(d *Document, row int32, fields []*column, most int) []byte {
	dst := []byte("{")
	for _, c := range fields {
		if value := c.of(d, row); value != nil && len(dst) <= most {
			dst = append(append(rawjson.AppendComma(dst), c.quoted...), ':')
			dst = append(dst, value...)
		}
	}
	return append(dst, '}')
}

// start returns where a page begins.
func start(offset, count int) int {
	if offset < 0 {
		return max(count+offset, 0)
	}
	return min(offset, count)
}

// appendCuts appends the member "cut", if something was cut.
func (q *query) appendCuts(dst []byte, cuts []Cut) []byte {
	if len(cuts) == 0 {
		return dst
	}
	slices.SortStableFunc(cuts, func(a, b Cut) int { return (b.Total - b.Shown) - (a.Total - a.Shown) })
	return append(rawjson.AppendName(dst, "cut"), encode(cuts)...)
}

// appendValue appends the value of a part, cut if it is larger than room. It reports false if it is too large in any case.
func (q *query) appendValue(dst []byte, n int32, room int) (_ []byte, cuts []Cut, ok bool) {
	size := q.doc.size(n)
	quoted := q.sentSize(q.doc.JSON(n))
	if quoted > room {
		size = int(int64(room) * int64(size) / int64(quoted))
	}
	const attempts = 8
	for attempt := range attempts {
		value, cuts, ok := q.doc.Cut(n, Schema{Open: attempt >= attempts/2}, size)
		if ok && q.sentSize(value)+q.sentSize(encode(cuts)) <= q.budget {
			return append(dst, value...), cuts, true
		}
		size -= size / 4 //nolint:mnd // a smaller value has shorter paths of cuts
	}
	return dst, nil, false
}

// encode returns a value as JSON.
func encode(value any) []byte {
	raw, _ := json.Marshal(value) // cannot fail: strings, numbers and JSON
	return raw
}
