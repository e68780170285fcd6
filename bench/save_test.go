package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/fakeserver"
)

// The images, audio and resources of a result are written to files, and the texts are printed.
func TestSave(t *testing.T) {
	t.Parallel()
	tool := func(name string) string { return `{"name":"` + name + `","inputSchema":{"type":"object"}}` }
	s, url := newStage(t, tool("one"), tool("many"), tool("none"), tool("bad"), tool("fails"))
	answer := func(name, members string) {
		s.answers[name] = func(int) string { return `"result":{` + members + `}` }
	}
	const image = `{"type":"image","mimeType":"image/png","data":"AAEC"}`
	answer("one", `"content":[{"type":"text","text":"a dot"},`+image+`]`)
	answer("many", `"content":[`+image+`,{"type":"audio","mimeType":"audio/mpeg","data":"AA=="},{"type":"text","text":"three"},
		{"type":"resource","resource":{"uri":"file:///../go.mod","text":"module x\n"}},{"type":"resource","resource":{"uri":"a:1","mimeType":"application/x-sh","blob":"AAA="}}]`)
	answer("bad", `"content":[`+image+`,{"type":"audio","data":"*"}]`)
	answer("fails", `"isError":true,"content":[{"type":"text","text":"no ink"}]`)
	several := fakeserver.New()
	answering(several, "resources/read", `{"contents":[{"uri":"a:1","mimeType":"text/html; charset=utf-8","text":"<p>"},{"uri":"a:2","mimeType":"image/jpeg","blob":"AA=="}],"ttlMs":0,"cacheScope":"private","resultType":"complete"}`)
	severalURL := serveFake(t, several)
	for _, test := range []struct {
		name, args string // DIR is a directory that has old.png and full/
		code       int
		out, err   string            // whole output, without DIR
		files      map[string]string // without old.png, unless it changes
	}{
		{"one", "call one --save DIR/a.png", 0, "a dot\n[image, image/png, 3 bytes]\n", "saved /a.png [image, image/png, 3 bytes]\n", map[string]string{"a.png": "\x00\x01\x02"}},
		{"in place of a file", "call one -o DIR/old.png", 0, "a dot\n[image, image/png, 3 bytes]\n", "replaced /old.png [image, image/png, 3 bytes]\n", map[string]string{"old.png": "\x00\x01\x02"}},
		{"one into a directory", "call one --save DIR/full", 0, "a dot\n[image, image/png, 3 bytes]\n", "saved /full/1.png [image, image/png, 3 bytes]\n", map[string]string{"full/1.png": "\x00\x01\x02"}},
		{"one to stdout", "call one --save -", 0, "\x00\x01\x02", "a dot\n[image, image/png, 3 bytes]\n", nil},
		{
			"several", "call many --save DIR/a.b.png", 0, "[image, image/png, 3 bytes]\n[audio, audio/mpeg, 1 byte]\nthree\n[file:///../go.mod]\nmodule x\n[a:1, application/x-sh, 2 bytes]\n",
			"saved /a.b-1.png [image, image/png, 3 bytes]\nsaved /a.b-2.png [audio, audio/mpeg, 1 byte]\nsaved /a.b-3.png [file:///../go.mod, 9 bytes]\nsaved /a.b-4.png [a:1, application/x-sh, 2 bytes]\n",
			map[string]string{"a.b-1.png": "\x00\x01\x02", "a.b-2.png": "\x00", "a.b-3.png": "module x\n", "a.b-4.png": "\x00\x00"},
		},
		{
			"several into a new directory", "call many --save DIR/new/", 0, "[image, image/png, 3 bytes]\n[audio, audio/mpeg, 1 byte]\nthree\n[file:///../go.mod]\nmodule x\n[a:1, application/x-sh, 2 bytes]\n",
			"saved /new/1.png [image, image/png, 3 bytes]\nsaved /new/2.mp3 [audio, audio/mpeg, 1 byte]\nsaved /new/3.txt [file:///../go.mod, 9 bytes]\nsaved /new/4.bin [a:1, application/x-sh, 2 bytes]\n",
			map[string]string{"new/1.png": "\x00\x01\x02", "new/2.mp3": "\x00", "new/3.txt": "module x\n", "new/4.bin": "\x00\x00"},
		},
		{"several to stdout", "call many --save -", 1, "", "[image, image/png, 3 bytes]\n[audio, audio/mpeg, 1 byte]\nthree\n[file:///../go.mod]\nmodule x\n[a:1, application/x-sh, 2 bytes]\nbench: there are 4 files, and --save - writes one to stdout; name a file or a directory\n", nil},
		{"none", "call none --save DIR/a.png", 1, "done\n", "bench: the result has no image, audio or resource, so nothing is saved\n", nil},
		{"all or nothing", "call bad --save DIR/a.png", 1, "[image, image/png, 3 bytes]\n[audio, 0 bytes]\n", "bench: the blob of audio is not base64: illegal base64 data at input byte 0; nothing is saved\n", nil},
		{"an error of the tool", "call fails --save DIR/a.png", 1, "no ink\n", "bench: fails returned an error\n", nil},
		{"JSON", "call one --json --save DIR/a.png", 2, "", "bench: --json prints the result, and --save writes its parts; leave out one of them\n", nil},
		{"below a file", "call one --save DIR/old.png/a.png", 2, "a dot\n[image, image/png, 3 bytes]\n", "bench: /old.png/a.png cannot be written: not a directory; nothing was changed there\n", nil},
		{"contents of several resources", "read a:1 --save DIR/new/", 0, "", "saved /new/1.html [a:1, text/html; charset=utf-8, 3 bytes]\nsaved /new/2.jpg [a:2, image/jpeg, 1 byte]\n", map[string]string{"new/1.html": "<p>", "new/2.jpg": "\x00"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			want := map[string]string{"old.png": "old"}
			maps.Copy(want, test.files)
			if err := os.WriteFile(filepath.Join(dir, "old.png"), []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(filepath.Join(dir, "full"), 0o700); err != nil {
				t.Fatal(err)
			}
			args := strings.Fields(strings.ReplaceAll(test.args, "DIR", dir))
			at := url
			if args[0] == "read" {
				at = severalURL
			}
			code, out, problems := benched(t, append(args, at)...)
			if problems = filepath.ToSlash(strings.ReplaceAll(problems, dir, "")); code != test.code || out != test.out || problems != test.err {
				t.Errorf("exit code %d, want %d\nstdout %q\nwant   %q\nstderr %q\nwant   %q", code, test.code, out, test.out, problems, test.err)
			}
			for name, text := range want {
				if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(data) != text {
					t.Errorf("%s has %q, %v, want %q", name, data, err, text)
				}
			}
			var found []string
			_ = filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
				if err == nil && !entry.IsDir() {
					found = append(found, filepath.ToSlash(strings.TrimPrefix(path, dir+string(filepath.Separator))))
				}
				return err
			})
			if slices.Sort(found); !slices.Equal(found, slices.Sorted(maps.Keys(want))) {
				t.Errorf("the files are %q", found)
			}
		})
	}
}
