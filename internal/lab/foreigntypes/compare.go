package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
)

// sameJSON reports whether two documents have the same tokens: members in the same order and numbers with the same
// digits. White space and the spelling of strings may differ.
func sameJSON(a, b []byte) bool {
	x, y := json.NewDecoder(bytes.NewReader(a)), json.NewDecoder(bytes.NewReader(b))
	x.UseNumber()
	y.UseNumber()
	for {
		p, errX := x.Token()
		q, errY := y.Token()
		if errX == io.EOF && errY == io.EOF { //nolint:errorlint // Token returns it as it is
			return true
		}
		if errX != nil || errY != nil || p != q {
			return false
		}
	}
}

// parse returns the tree of a document.
func parse(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var tree any
	err := d.Decode(&tree)
	return tree, err
}

// firstDifference describes the first location at which two documents differ.
func firstDifference(want, got []byte) string {
	a, errA := parse(want)
	b, errB := parse(got)
	if errA != nil || errB != nil {
		return fmt.Sprintf("not JSON: %v, %v", errA, errB)
	}
	if difference := treeDifference("", a, b); difference != "" {
		return difference
	}
	return fmt.Sprintf("order of members: %s and %s", excerpt(want), excerpt(got))
}

func treeDifference(path string, a, b any) string {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			break
		}
		names := maps.Clone(x)
		maps.Copy(names, y)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			p, inX := x[name]
			q, inY := y[name]
			switch {
			case !inX:
				return fmt.Sprintf("%s.%s: additional: %s", path, name, show(q))
			case !inY:
				return fmt.Sprintf("%s.%s: absent: %s", path, name, show(p))
			}
			if difference := treeDifference(path+"."+name, p, q); difference != "" {
				return difference
			}
		}
		return ""
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			break
		}
		for i := range x {
			if difference := treeDifference(fmt.Sprintf("%s[%d]", path, i), x[i], y[i]); difference != "" {
				return difference
			}
		}
		return ""
	default:
		if y, isMap := b.(map[string]any); !isMap || y == nil {
			if _, isList := b.([]any); !isList && a == b {
				return ""
			}
		}
	}
	return fmt.Sprintf("%s: %s instead of %s", path, show(b), show(a))
}

func show(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return excerpt(text)
}

// excerpt returns the beginning of a text.
func excerpt[S ~string | ~[]byte](text S) string {
	if s := string(text); len(s) > 400 {
		return s[:400] + "…"
	}
	return string(text)
}
