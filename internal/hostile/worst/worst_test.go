package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/testscale"
	"github.com/mcptool-go/mcptool/mcptool"
)

// carelessVariable is the environment variable that adds the careless tools to a child process.
const carelessVariable = "MCPTOOL_WORST_CARELESS"

func TestMain(m *testing.M) {
	if !isChild() {
		os.Exit(m.Run())
	}
	if os.Getenv(carelessVariable) != "" {
		for name, made := range careless {
			typed[name] = made
		}
	}
	exit(serveChild())
}

type carelessIn struct {
	A []int `json:"a,omitzero"`
}

// careless are tools that a search must detect.
var careless = map[string]func() (*mcptool.Tool, error){
	"quadratic": func() (*mcptool.Tool, error) {
		return mcptool.New(func(_ context.Context, in carelessIn) (mcptool.Text, error) {
			sum := 0
			for i := 0; i < len(in.A); i += 20 {
				for _, n := range in.A {
					sum += n ^ i
				}
			}
			return mcptool.Text{Text: fmt.Sprint(sum)}, nil
		}, mcptool.Name(toolName))
	},
	"greedy": func() (*mcptool.Tool, error) {
		return mcptool.New(func(_ context.Context, in carelessIn) (mcptool.Text, error) {
			held := make([]byte, len(in.A)*800)
			for i := range held {
				held[i] = byte(i)
			}
			return mcptool.Text{Text: fmt.Sprint(len(held))}, nil
		}, mcptool.Name(toolName))
	},
	"boundless": func() (*mcptool.Tool, error) {
		return mcptool.New(func(_ context.Context, in carelessIn) (mcptool.Text, error) {
			var held [][]byte
			for len(in.A) > 2 {
				held = append(held, bytes.Repeat([]byte("x"), 64<<20))
			}
			return mcptool.Text{Text: fmt.Sprint(len(held))}, nil
		}, mcptool.Name(toolName))
	},
}

func skipWhereNothingIsMeasured(t *testing.T) {
	t.Helper()
	if _, err := processTime(); errors.Is(err, errNotLinux) {
		t.Skip(err)
	}
	if underRace || testing.Short() {
		t.Skip("the race detector takes several times the memory")
	}
}

// TestWorst searches for some seconds.
func TestWorst(t *testing.T) {
	testscale.Nightly(t)
	skipWhereNothingIsMeasured(t)
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-for", "10s", "-visit", "500ms"}, &out); err != nil {
		t.Errorf("%v\n%s", err, out.Bytes())
	}
	if text := out.String(); !strings.Contains(text, "PASS") || strings.Contains(text, "\n0 messages") {
		t.Errorf("got %s", text)
	}
}

// TestFinds measures what searches have found before: with every change, one find for each pass over a message that once
// was not bounded, and at night all of them, twice. The memory of a find is the maximum of its measurements.
func TestFinds(t *testing.T) {
	skipWhereNothingIsMeasured(t)
	tries := "1"
	files := []string{"testdata/members-many.json", "testdata/members-null.json", "testdata/objects-coerce.json", "testdata/objects-null.json"}
	if testscale.IsNightly() {
		tries = "2"
		all, err := filepath.Glob("testdata/*.json")
		if err != nil || len(all) < len(files) {
			t.Fatalf("Glob = %v, %v, want at least %d finds", all, err, len(files))
		}
		files = all
	}
	for _, file := range files {
		f, err := readFind(file)
		if err != nil {
			t.Fatal(err)
		}
		if !f.Message.within(f.Message.Size, limits.MaxMessageBytes) {
			t.Errorf("%s: the message is beyond the limits, and measures nothing; its size is at most %d", file, f.Message.largest(limits.MaxMessageBytes))
		}
		var out bytes.Buffer
		if err := run(t.Context(), []string{"-replay", file, "-tries", tries}, &out); err != nil {
			t.Errorf("%s: %v\n%s", file, err, out.Bytes())
		}
	}
}

// TestNoticed uses tools that cost too much, and limits that are too low.
func TestNoticed(t *testing.T) {
	testscale.Nightly(t)
	skipWhereNothingIsMeasured(t)
	t.Setenv(carelessVariable, "1")
	for name, made := range careless {
		typed[name] = made
	}
	t.Cleanup(func() {
		for name := range careless {
			delete(typed, name)
		}
	})
	for _, tt := range []struct {
		name, tool string
		args       []string
		want       string
	}{
		{"more than linear", "quadratic", []string{"-cpu", "1h"}, "! "},
		{"more memory", "greedy", nil, "! "},
		{"all memory", "boundless", nil, "DIED"},
		{"a lower bar of CPU", "texts", []string{"-cpu", "1ms"}, "! "},
		{"a lower bar of memory", "texts", []string{"-memory", "1"}, "! "},
	} {
		folder := t.TempDir()
		args := append([]string{"-for", "2m", "-stop", "-visit", "500ms", "-tool", tt.tool, "-out", folder}, tt.args...)
		var out bytes.Buffer
		if err := run(t.Context(), args, &out); !errors.Is(err, errAbove) || !strings.Contains(out.String(), tt.want) {
			t.Errorf("%s: got %v, want %q in\n%s", tt.name, err, tt.want, out.Bytes())
		}
		files, err := filepath.Glob(filepath.Join(folder, "*.json"))
		if err != nil || len(files) == 0 {
			t.Errorf("%s: no finds were written: %v", tt.name, err)
		}
	}
}
