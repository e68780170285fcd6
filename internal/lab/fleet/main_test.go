package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/lab/testbed"
)

// TestFleet runs the complete setup with fewer faults: three processes with an embedded cluster, nginx, and customers.
func TestFleet(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts three servers and nginx, and kills one")
	}
	if _, err := testbed.FindNginx(); err != nil {
		t.Skip(err)
	}
	var out, log strings.Builder
	if err := run(t.Context(), &out, options{customers: 9, kills: 1, log: &log}); err != nil {
		t.Fatalf("%v\n%s\n%s", err, &out, &log)
	}
	t.Log(out.String())
	for _, want := range []string{
		"instance 1 is killed\n",
		"instance 1 is back\n",
		"instance 2 gets SIGTERM\n",
		fmt.Sprintf("%-36s%8d\n", "failed", 0),
		fmt.Sprintf("%-36s%8d\n", "lost", 0),
		fmt.Sprintf("%-36s%8d\n", "answers lost", 0),
		"longest wait until an order continued",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("want %q in\n%s", want, &out)
		}
	}
}

// TestTable records forbidden events in the book: the table must show them, and the command must fail.
func TestTable(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		happens func(*book)
		row     string // the row that counts 1; "" if none
	}{
		{"nothing wrong", func(*book) {}, ""},
		{"another number in the next run", func(b *book) { b.runs("1-1", "B", 1) }, "orders with a changed number"},
		{"another number in the question", func(b *book) { b.told("1-1", "B") }, "orders with a changed number"},
		{"the number of another order", func(b *book) { b.runs("1-2", "A", 1); b.begun("1-2"); b.ended("1-2", nil, false) }, "orders with a changed number"},
		{"asked again after the answer", func(b *book) { b.reopened("1-1") }, "answers lost"},
		{"an order that failed", func(b *book) { b.ended("1-1", errors.New("no tea"), false) }, "failed"},
		{"an unknown order", func(b *book) { b.ended("1-1", errors.New("no such task"), true) }, "lost"},
		{"an unfinished order", func(b *book) { b.begun("1-3") }, "lost"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBook(io.Discard)
			l := &runLog{instance: 0, book: b}
			for _, part := range []string{`{"msg":"the order runs","reference":"1-1",`, `"number":"A"}` + "\npanic: no JSON\n" + `{"msg":"the label`, ` is printed","reference":"1-1"}` + "\n"} {
				if _, err := io.WriteString(l, part); err != nil {
					t.Fatal(err)
				}
			}
			b.begun("1-1")
			b.ended("1-1", nil, false)
			test.happens(b)
			var out strings.Builder
			err := (&show{out: &out, book: b}).table()
			if (err != nil) != (test.row != "") {
				t.Errorf("the error is %v", err)
			}
			if row := fmt.Sprintf("%-36s%8d\n", test.row, 1); test.row != "" && !strings.Contains(out.String(), row) {
				t.Errorf("want %q in\n%s", row, &out)
			}
		})
	}
}
