package main

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// The status line has the elapsed time, which changes every second, and is removed at the end.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b strings.Builder
		con := &console{err: terminal.NewWriter(&b), errTerminal: true}
		show, end := con.progress(90 * time.Second)
		show("x, 1 in flight")
		time.Sleep(2600 * time.Millisecond)
		show("x, 8 in flight")
		time.Sleep(time.Second / 2)
		show("y, 1 in flight")
		end()
		time.Sleep(2 * time.Second)
		const line = "\r\x1b[K"
		const want = line + "0:00 of about 1:30 x, 1 in flight" + line + "0:01 of about 1:30 x, 1 in flight" + line + "0:02 of about 1:30 x, 1 in flight" +
			line + "0:03 of about 1:30 x, 8 in flight" + line + "0:03 of about 1:30 x, 8 in flight" + line + "0:03 of about 1:30 y, 1 in flight" + line
		if b.String() != want {
			t.Errorf("got %q, want %q", b.String(), want)
		}
	})
	var b strings.Builder
	show, end := (&console{err: terminal.NewWriter(&b)}).progress(0)
	show("x")
	end()
	if b.Len() > 0 {
		t.Errorf("without a terminal there is %q", b.String())
	}
}

// Only lines of bench are colored, and only on terminals that allow it.
func TestColors(t *testing.T) {
	const text = "NAME  TITLE\nx     bench: \x1b[31m\n+a\n-b\n"
	for _, test := range []struct {
		colors, outTerminal bool
		want                string
	}{
		{true, true, "\x1b[1mNAME  TITLE\x1b[0m\nx     bench: \ufffd[31m\n\x1b[32m+a\x1b[0m\n\x1b[31m-b\x1b[0m\n"},
		{false, true, "NAME  TITLE\nx     bench: \ufffd[31m\n+a\n-b\n"},
		{true, false, "NAME  TITLE\nx     bench: \ufffd[31m\n+a\n-b\n"},
	} {
		var b strings.Builder
		con := &console{out: terminal.NewWriter(&b), outTerminal: test.outTerminal, colors: test.colors}
		if err := con.print(text, append(diffColors, tableColors...)); err != nil || b.String() != test.want {
			t.Errorf("%+v: got %q, %v", test, b.String(), err)
		}
	}
	t.Setenv("NO_COLOR", "1")
	if useColors() {
		t.Error("NO_COLOR is ignored")
	}
}
