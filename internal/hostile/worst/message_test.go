package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/testscale"
)

// TestValue checks that a JSON value survives a round trip unchanged.
func TestValue(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{}`, `[]`, `{"a":[1,"b",null,true,1.50,1e2],"":{"é\n":"\u0000"}}`, `"x"`} {
		v, err := valueOf([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(v.append(nil, 1, 0)); got != text {
			t.Errorf("got %s, want %s", got, text)
		}
	}
}

// TestExtent checks that a message never exceeds its estimated size and is not much
// smaller.
func TestExtent(t *testing.T) {
	t.Parallel()
	r := &mutator{rand.New(rand.NewPCG(1, 2)), newMaterial()}
	m, other, ok := call(object(one("a", many(raw("1"))))), call(raw(`{"a":"b"}`)), 0
	for range 3000 {
		next := r.mutate(m, other)
		size := next.largest(20_000)
		if size == 0 {
			continue
		}
		next = next.at(size)
		text, e := next.append(nil), next.extent(size)
		if len(text) > e.bytes || len(text) > 20_000 || len(text) < e.bytes*3/4-200 {
			t.Fatalf("%s: %d bytes, taken for %d", next, len(text), e.bytes)
		}
		if valid(text) {
			ok++
		}
		if m, other = next, m; len(m.String()) > 300 {
			m = call(object(one("a", many(raw("1")))))
		}
	}
	if ok < 1000 {
		t.Errorf("only %d of 3000 messages are let in", ok)
	}
}

// TestMessageFile checks that a message written to a file is read unchanged.
func TestMessageFile(t *testing.T) {
	t.Parallel()
	r := &mutator{rand.New(rand.NewPCG(3, 4)), newMaterial()}
	m := call(object(one("a", many(raw("1")))))
	for range 300 {
		m = r.mutate(m, m)
		m = m.at(max(m.largest(4000), 1))
		path := t.TempDir() + "/find.json"
		if err := (&find{Message: m, Tool: &tool{Name: "x"}}).write(path); err != nil {
			t.Fatal(err)
		}
		f, err := readFind(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(f.Message.append(nil), m.append(nil)) {
			t.Fatalf("%s is read as %s", m, f.Message)
		}
		if len(m.String()) > 300 || !m.within(1, 4000) {
			m = call(object(one("a", many(raw("1")))))
		}
	}
}

// TestGenerate checks that a seed always generates the same tool and enough schemas
// are accepted.
func TestGenerate(t *testing.T) {
	t.Parallel()
	taken, seen := 0, map[string]bool{}
	for seed := range uint64(60) {
		made := generate(seed)
		if !reflect.DeepEqual(made, generate(seed)) {
			t.Errorf("seed %d makes different tools", seed)
		}
		if made != nil {
			taken++
			seen[string(made.Schema)] = true
		}
	}
	if taken < 20 || len(seen) < taken-3 {
		t.Errorf("%d of 60 schemas are taken, %d different", taken, len(seen))
	}
}

// TestTools checks that each tool can be made and survives a JSON round trip, and at night that it has seeds.
func TestTools(t *testing.T) {
	t.Parallel()
	for _, made := range tools() {
		data, err := json.Marshal(made)
		if err != nil {
			t.Fatal(err)
		}
		again := new(tool)
		if err := json.Unmarshal(data, again); err != nil {
			t.Fatal(err)
		}
		if _, err := again.make(); err != nil {
			t.Errorf("%s: %v", made.Name, err)
		} else if made.Echo || !testscale.IsNightly() {
			continue
		} else if s, err := startOf(again); err != nil || len(s.seeds) < 50 {
			t.Errorf("%s: %v", made.Name, err)
		}
	}
}

// TestSlope checks that the growth of a cost is measured separately from fixed
// costs.
func TestSlope(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name     string
		exponent float64
		of       func(n int) int // processor time in seconds
	}{
		{"linear", 1, func(n int) int { return n }},
		{"linear beside what is fixed", 1, func(n int) int { return 4000 + n }},
		{"quadratic", 2, func(n int) int { return n * n }},
		{"quadratic beside what is fixed", 2, func(n int) int { return 1_000_000 + n*n }},
		{"constant", 0, func(int) int { return 7 }},
		{"from one bound to another", 0, func(n int) int { return map[bool]int{true: 900, false: 8}[n > 400] }},
	} {
		by := func(m *message) (measurement, error) {
			return measurement{cost: cost{CPU: time.Duration(row.of(m.Size)) * time.Second}, sent: len(m.append(nil))}, nil
		}
		fixed := value{Kind: stringKind, Text: text{Unit: "x", Times: 5000}}
		f := &find{Message: call(object(one("fixed", fixed), one("a", many(raw("1"))))).at(1000)}
		if err := errors.Join(f.measure(by), f.follow(by)); err != nil {
			t.Fatal(err)
		}
		if math.Abs(f.CPUSlope-row.exponent) > 0.02 {
			t.Errorf("%s: got %v, want %v", row.name, f.CPUSlope, row.exponent)
		}
	}
}
