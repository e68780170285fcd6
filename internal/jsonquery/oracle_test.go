package jsonquery_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/jsonquery"
)

// table returns rows whose columns have values of one type, null, or nothing.
func table(r *rand.Rand, n int) []map[string]any {
	rows := make([]map[string]any, n)
	for i := range rows {
		row := map[string]any{"id": float64(i)}
		if r.IntN(8) > 0 {
			row["price"] = float64(r.IntN(2000)-1000) / 100
		}
		switch r.IntN(6) {
		case 0:
		case 1:
			row["name"] = nil
		default:
			row["name"] = []string{"ana", "Ben \"b\"", "çem", "", "a\nb", "x\\y"}[r.IntN(6)]
		}
		row["done"] = r.IntN(2) == 0
		row["tags"] = []any{[]string{"a", "b", "c"}[r.IntN(3)], float64(r.IntN(3))}
		row["at"] = map[string]any{"city": []string{"Faro", "Porto"}[r.IntN(2)], "zip.code": float64(r.IntN(3))}
		rows[i] = row
	}
	return rows
}

// value returns the value of a column, as the naive implementation reads it.
func value(row map[string]any, column string) any {
	if v, ok := row[column]; ok {
		return v
	}
	outer, inner, isNested := strings.Cut(column, ".")
	if nested, ok := row[outer].(map[string]any); ok && isNested {
		return nested[inner]
	}
	return nil
}

// naiveRank orders types as the package documents.
func naiveRank(v any) int {
	switch v.(type) {
	case float64:
		return 0
	case string:
		return 1
	case bool:
		return 2
	default:
		return 3
	}
}

func naiveCompare(a, b any) int {
	if c := cmp.Compare(naiveRank(a), naiveRank(b)); c != 0 {
		return c
	}
	switch x := a.(type) {
	case float64:
		return cmp.Compare(x, b.(float64))
	case string:
		return strings.Compare(x, b.(string))
	case bool:
		return cmp.Compare(fmt.Sprint(x), fmt.Sprint(b))
	default:
		return 0
	}
}

// naiveHolds evaluates a comparison.
func naiveHolds(row map[string]any, c jsonquery.Comparison) bool {
	var want any
	if c.Value != nil {
		if err := json.Unmarshal(c.Value, &want); err != nil {
			panic(err)
		}
	}
	got := value(row, c.Field)
	isComparable := got != nil && want != nil && naiveRank(got) == naiveRank(want)
	switch c.Op {
	case "eq":
		return reflect.DeepEqual(got, want)
	case "ne":
		return !reflect.DeepEqual(got, want)
	case "lt":
		return isComparable && naiveCompare(got, want) < 0
	case "le":
		return isComparable && naiveCompare(got, want) <= 0
	case "gt":
		return isComparable && naiveCompare(got, want) > 0
	case "ge":
		return isComparable && naiveCompare(got, want) >= 0
	case "in":
		return slices.ContainsFunc(want.([]any), func(v any) bool { return reflect.DeepEqual(got, v) })
	case "is_null":
		return got == nil
	case "not_null":
		return got != nil
	case "contains":
		switch g := got.(type) {
		case string:
			s, ok := want.(string)
			return ok && strings.Contains(g, s)
		case []any:
			return slices.ContainsFunc(g, func(v any) bool { return reflect.DeepEqual(v, want) })
		}
	}
	return false
}

// naive evaluates a query over rows: the rows of its answer without regard to size.
func naive(rows []map[string]any, in *jsonquery.Query) (all []map[string]any, matched int) {
	for _, row := range rows {
		holds := true
		for _, c := range in.Where {
			one := c.Any
			if len(one) == 0 {
				one = []jsonquery.Comparison{{Field: c.Field, Op: c.Op, Value: c.Value}}
			}
			holds = holds && slices.ContainsFunc(one, func(c jsonquery.Comparison) bool { return naiveHolds(row, c) })
		}
		if holds {
			all = append(all, row)
		}
	}
	matched = len(all)
	if len(in.Group)+len(in.Aggregate) > 0 {
		all = naiveGroups(all, in)
	}
	slices.SortStableFunc(all, func(a, b map[string]any) int {
		for _, o := range in.Sort {
			x, y := value(a, o.Field), value(b, o.Field)
			c := naiveCompare(x, y)
			if isLast := naiveRank(x) == 3 || naiveRank(y) == 3; o.Desc && !isLast {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
		return 0
	})
	return all, matched
}

func naiveGroups(rows []map[string]any, in *jsonquery.Query) (groups []map[string]any) {
	var keys []string
	members := map[string][]map[string]any{}
	if len(in.Group) == 0 {
		keys = []string{""}
		members[""] = rows
	} else {
		for _, row := range rows {
			var key []any
			for _, name := range in.Group {
				key = append(key, value(row, name))
			}
			text, _ := json.Marshal(key)
			if members[string(text)] == nil {
				keys = append(keys, string(text))
			}
			members[string(text)] = append(members[string(text)], row)
		}
	}
	for _, key := range keys {
		g := map[string]any{}
		for _, name := range in.Group {
			g[name] = value(members[key][0], name)
		}
		for _, a := range in.Aggregate {
			name, count, sum := a.Fn, 0, new(big.Rat)
			if a.Field != "" {
				name += "_" + a.Field
			}
			var least, most any
			for _, row := range members[key] {
				v := value(row, a.Field)
				if a.Field == "" {
					count++
				}
				if v == nil {
					continue
				}
				count++
				if f, ok := v.(float64); ok {
					exact, _ := new(big.Rat).SetString(fmt.Sprint(f)) // the decimal in the JSON
					sum.Add(sum, exact)
				}
				if least == nil || naiveCompare(v, least) < 0 {
					least = v
				}
				if most == nil || naiveCompare(v, most) > 0 {
					most = v
				}
			}
			switch a.Fn {
			case "count":
				g[name] = float64(count)
			case "min":
				g[name] = least
			case "max":
				g[name] = most
			case "sum":
				g[name], _ = sum.Float64()
			case "avg":
				g[name] = nil
				if count > 0 {
					g[name], _ = sum.Quo(sum, big.NewRat(int64(count), 1)).Float64()
				}
			}
		}
		groups = append(groups, g)
	}
	return groups
}

// pick returns one of several values.
func pick[T any](r *rand.Rand, all ...T) T { return all[r.IntN(len(all))] }

// randomComparison returns a comparison whose value has the type of its column.
func randomComparison(r *rand.Rand) jsonquery.Comparison {
	c := jsonquery.Comparison{Field: pick(r, "id", "price", "name", "done", "tags", "at.city", "at.zip.code")}
	var v any
	switch c.Field {
	case "id":
		c.Op, v = pick(r, "lt", "le", "gt", "ge", "eq", "ne"), r.IntN(60)
	case "price":
		c.Op, v = pick(r, "lt", "le", "gt", "ge", "is_null", "not_null"), float64(r.IntN(2000)-1000)/100
	case "name":
		c.Op, v = pick(r, "eq", "ne", "lt", "ge", "contains", "in", "is_null"), pick(r, "ana", "Ben \"b\"", "çem", "a\nb", "b", "\\")
		if c.Op == "in" {
			v = []any{v, nil, "ana"}
		}
	case "done":
		c.Op, v = pick(r, "eq", "ne"), r.IntN(2) == 0
	case "tags":
		c.Op, v = "contains", pick[any](r, "a", "b", 1.0, 2)
	case "at.city":
		c.Op, v = pick(r, "eq", "ne", "contains"), pick(r, "Faro", "Por")
	default:
		c.Field, c.Op = "at", "not_null"
	}
	if c.Op != "is_null" && c.Op != "not_null" {
		c.Value, _ = json.Marshal(v)
	}
	return c
}

// randomQuery returns a valid query.
func randomQuery(r *rand.Rand) *jsonquery.Query {
	in := &jsonquery.Query{Path: "rows"}
	for range r.IntN(3) {
		c := randomComparison(r)
		if r.IntN(3) == 0 {
			in.Where = append(in.Where, jsonquery.Condition{Any: []jsonquery.Comparison{c, randomComparison(r)}})
		} else {
			in.Where = append(in.Where, jsonquery.Condition{Field: c.Field, Op: c.Op, Value: c.Value})
		}
	}
	if r.IntN(2) == 0 {
		in.Group = pick(r, nil, []string{"name"}, []string{"done", "at.city"}, []string{"price"})
		in.Aggregate = []jsonquery.Aggregate{{Fn: "count"}, {Fn: pick(r, "sum", "avg", "min", "max", "count"), Field: "price"}, {Fn: pick(r, "min", "max"), Field: "name"}}
		in.Sort = pick(r, nil, []jsonquery.Order{{Field: "count", Desc: true}}, []jsonquery.Order{{Field: "max_name"}}[:0])
	} else {
		in.Sort = pick(r, nil, []jsonquery.Order{{Field: "price"}}, []jsonquery.Order{{Field: "name", Desc: true}, {Field: "price", Desc: true}}, []jsonquery.Order{{Field: "done"}, {Field: "at.city", Desc: true}})
	}
	return in
}

// answer is an answer of a query for rows.
type answer struct {
	Rows    []map[string]any
	Matched int
	Of      *int
	Groups  *int
	Next    *int
}

// TestQueryOracle compares queries over random rows, read page by page, with a naive implementation.
func TestQueryOracle(t *testing.T) {
	t.Parallel()
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 1))
		rows := table(r, 40+r.IntN(40))
		text, err := json.Marshal(map[string]any{"rows": rows})
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonquery.New(text)
		if err != nil {
			t.Fatal(err)
		}
		in := randomQuery(r)
		want, matched := naive(rows, in)
		shown, _ := json.Marshal(in)
		got := []map[string]any{}
		for offset := 0; ; {
			in.Offset, in.Limit = offset, r.IntN(20)
			raw, err := doc.Answer(t.Context(), in, jsonquery.Schema{}, 2048)
			if err != nil {
				if strings.Contains(err.Error(), "never holds") {
					break // no value of the column has the type of the condition
				}
				t.Fatalf("seed %d: %s: %v", seed, shown, err)
			}
			quoted, _ := json.Marshal(string(raw))
			if len(quoted) > 2048 {
				t.Errorf("seed %d: %s: the answer has %d bytes, more than 2048", seed, shown, len(quoted))
			}
			var page answer
			if err := json.Unmarshal(raw, &page); err != nil {
				t.Fatal(err)
			}
			if page.Matched != matched {
				t.Fatalf("seed %d: %s: %d rows matched, want %d", seed, shown, page.Matched, matched)
			}
			got = append(got, page.Rows...)
			if page.Next == nil {
				wantJSON, _ := json.Marshal(want)
				gotJSON, _ := json.Marshal(got)
				if len(want) > 0 && string(gotJSON) != string(wantJSON) {
					t.Fatalf("seed %d: %s:\ngot  %s\nwant %s", seed, shown, gotJSON, wantJSON)
				}
				break
			}
			offset = *page.Next
		}
	}
}

// BenchmarkQuery runs queries over 20,000 rows of 8 columns.
func BenchmarkQuery(b *testing.B) {
	rows := table(rand.New(rand.NewPCG(1, 1)), 20_000)
	text, err := json.Marshal(map[string]any{"rows": rows})
	if err != nil {
		b.Fatal(err)
	}
	doc, err := jsonquery.New(text)
	if err != nil {
		b.Fatal(err)
	}
	raw := func(s string) jsonquery.Operand { return jsonquery.Operand(s) }
	for _, bench := range []struct {
		name string
		in   jsonquery.Query
	}{
		{"filter", jsonquery.Query{Path: "rows", Where: []jsonquery.Condition{{Field: "price", Op: "gt", Value: raw("9.9")}, {Field: "name", Op: "eq", Value: raw(`"ana"`)}}}},
		{"sort", jsonquery.Query{Path: "rows", Sort: []jsonquery.Order{{Field: "price", Desc: true}}, Limit: 10}},
		{"group", jsonquery.Query{Path: "rows", Group: []string{"name"}, Aggregate: []jsonquery.Aggregate{{Fn: "count"}, {Fn: "sum", Field: "price"}}}},
		{"contains", jsonquery.Query{Path: "rows", Where: []jsonquery.Condition{{Field: "tags", Op: "contains", Value: raw(`"a"`)}}, Limit: 10}},
		{"search", jsonquery.Query{Search: "Ben", Limit: 10}},
		{"regexp", jsonquery.Query{Search: "B.*b", Regexp: true, Limit: 10}},
		{"wildcard", jsonquery.Query{Path: "rows.*.at", Group: []string{"city"}, Aggregate: []jsonquery.Aggregate{{Fn: "count"}}}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := doc.Answer(context.Background(), &bench.in, jsonquery.Schema{}, 8<<10); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("index", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if _, err := jsonquery.New(text); err != nil {
				b.Fatal(err)
			}
		}
	})
}
