package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"image"
	"image/png"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mcptool-go/mcptool/mcptool"
)

// picture is a PNG file of one pixel.
func picture(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// silence is a WAV file of eight samples.
func silence() []byte {
	const samples, rate = 8, 8000
	b := append([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, 36+samples)...)
	b = append(b, "WAVEfmt "...)
	b = binary.LittleEndian.AppendUint32(b, 16)
	b = binary.LittleEndian.AppendUint16(b, 1) // PCM
	b = binary.LittleEndian.AppendUint16(b, 1) // mono
	b = binary.LittleEndian.AppendUint32(b, rate)
	b = binary.LittleEndian.AppendUint32(b, rate)
	b = binary.LittleEndian.AppendUint16(b, 1) // bytes per sample
	b = binary.LittleEndian.AppendUint16(b, 8) // bits per sample
	b = append(b, "data"...)
	b = binary.LittleEndian.AppendUint32(b, samples)
	return append(b, bytes.Repeat([]byte{0x80}, samples)...)
}

const most = 1000

// fill makes a directory with one file of each kind.
func fill(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, data := range map[string][]byte{
		"dot.png":        picture(t),
		"not-a.jpg":      picture(t),
		"silence.wav":    silence(),
		"notes.md":       []byte("# Größe\n"),
		"lies.png":       []byte("no picture"),
		"table.csv":      []byte("a,b\n"),
		"drawing.svg":    []byte("<svg/>"),
		"data.bin":       {0, 1, 2, 0xff},
		"latin1.txt":     []byte("M\xfcnchen"),
		"empty.txt":      nil,
		"large.txt":      bytes.Repeat([]byte("x"), most+1),
		"with space.txt": []byte("a"),
		"sub/deep.txt":   []byte("deep"),
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func tools(t *testing.T, dir string) (list, read *mcptool.Tool) {
	t.Helper()
	files, err := openShelf(dir, most)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { files.root.Close() })
	if list, err = mcptool.New(files.ListFiles); err != nil {
		t.Fatal(err)
	}
	if read, err = mcptool.New(files.ReadFile); err != nil {
		t.Fatal(err)
	}
	return list, read
}

func call(t *testing.T, tool *mcptool.Tool, args map[string]string) ([]mcptool.Content, error) {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	res, err := tool.Call(t.Context(), raw)
	if err != nil {
		return nil, err
	}
	return res.Content, nil
}

func TestReadFile(t *testing.T) {
	t.Parallel()
	dir := fill(t)
	_, read := tools(t, dir)
	uri := func(name string) string { return fileURI(filepath.Join(dir, name)) }
	link := func(name, kind string, size int64) mcptool.ResourceLink {
		return mcptool.ResourceLink{URI: uri(name), Name: name, MIMEType: kind, Size: &size}
	}
	tests := []struct {
		path, as, reason string
		want             []mcptool.Content
	}{
		{"notes.md", "content", "text is text", []mcptool.Content{mcptool.Text{Text: "# Größe\n"}}},
		{"dot.png", "content", "a picture is a picture", []mcptool.Content{mcptool.Image{Data: picture(t), MIMEType: "image/png"}}},
		{"not-a.jpg", "content", "the bytes know better than the name", []mcptool.Content{mcptool.Image{Data: picture(t), MIMEType: "image/png"}}},
		{"lies.png", "content", "also here", []mcptool.Content{mcptool.Text{Text: "no picture"}}},
		{"silence.wav", "content", "sound is sound", []mcptool.Content{mcptool.Audio{Data: silence(), MIMEType: "audio/wav"}}},
		{"drawing.svg", "content", "models read SVG", []mcptool.Content{mcptool.Text{Text: "<svg/>"}}},
		{"data.bin", "content", "there is no content for just bytes", []mcptool.Content{mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: uri("data.bin"), MIMEType: "application/octet-stream", Blob: []byte{0, 1, 2, 0xff}}}}},
		{"latin1.txt", "content", "text that is not UTF-8 is bytes, not garbled text", []mcptool.Content{mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: uri("latin1.txt"), MIMEType: "application/octet-stream", Blob: []byte("M\xfcnchen")}}}},
		{"empty.txt", "content", "an empty file is read too", []mcptool.Content{mcptool.Text{}}},
		{"empty.txt", "resource", "an empty file is still a file", []mcptool.Content{mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: uri("empty.txt"), MIMEType: "text/plain"}}}},
		{"table.csv", "resource", "the name tells texts apart", []mcptool.Content{mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: uri("table.csv"), MIMEType: "text/csv", Text: "a,b\n"}}}},
		{"dot.png", "resource", "bytes with an address", []mcptool.Content{mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: uri("dot.png"), MIMEType: "image/png", Blob: picture(t)}}}},
		{"table.csv", "link", "nothing but the address", []mcptool.Content{link("table.csv", "text/csv", 4)}},
		{"sub/deep.txt", "", "content is the default", []mcptool.Content{mcptool.Text{Text: "deep"}}},
		{"large.txt", "content", "what is too large is pointed at", []mcptool.Content{
			mcptool.Text{Text: "The file has 1001 bytes; more than 1000 are not sent. Here is its address."},
			link("large.txt", "text/plain", most+1),
		}},
	}
	for _, test := range tests {
		t.Run(test.path+"/"+test.as, func(t *testing.T) {
			t.Parallel()
			args := map[string]string{"path": test.path}
			if test.as != "" {
				args["as"] = test.as
			}
			got, err := call(t, read, args)
			if err != nil {
				t.Fatal(err)
			}
			undated := cmpopts.IgnoreFields(mcptool.ResourceLink{}, "Annotations")
			if diff := cmp.Diff(test.want, got, undated); diff != "" {
				t.Errorf("%s (-want +got)\n%s", test.reason, diff)
			}
		})
	}
}

func TestListFiles(t *testing.T) {
	t.Parallel()
	list, _ := tools(t, fill(t))
	blocks, err := call(t, list, nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, block := range blocks {
		link, ok := block.(mcptool.ResourceLink)
		if !ok {
			t.Fatalf("%+v is no link", block)
		}
		if _, err := url.Parse(link.URI); err != nil || link.Annotations.LastModified.IsZero() {
			t.Errorf("%+v: %v", link, err)
		}
		names = append(names, link.Name)
	}
	want := []string{
		"data.bin", "dot.png", "drawing.svg", "empty.txt", "large.txt", "latin1.txt", "lies.png",
		"not-a.jpg", "notes.md", "silence.wav", "table.csv", "with space.txt",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if blocks, err = call(t, list, map[string]string{"path": "sub"}); err != nil || len(blocks) != 1 {
		t.Errorf("sub: %v, %v", blocks, err)
	}
}

func TestPathsThatLeadElsewhere(t *testing.T) {
	t.Parallel()
	dir, outside := fill(t), fill(t)
	if runtime.GOOS != "windows" { // links need a privilege on Windows
		if err := os.Symlink(outside, filepath.Join(dir, "out")); err != nil {
			t.Fatal(err)
		}
	}
	list, read := tools(t, dir)
	for _, path := range []string{
		filepath.Join(outside, "notes.md"), "../" + filepath.Base(outside) + "/notes.md",
		"out/notes.md", "sub/../../x", "none.txt", ".", "sub", "notes.md/x", "a\x00b",
	} {
		for _, as := range []string{"content", "resource", "link"} {
			got, err := call(t, read, map[string]string{"path": path, "as": as})
			if err == nil {
				t.Errorf("%q was read as %s: %+v", path, as, got)
			}
			explained(t, path, dir, err)
		}
	}
	for _, path := range []string{outside, "..", "out", "notes.md"} {
		got, err := call(t, list, map[string]string{"path": path})
		if err == nil {
			t.Errorf("%q was listed: %+v", path, got)
		}
		explained(t, path, dir, err)
	}
}

// explained checks that an error contains the path given by the caller, and neither system calls nor the directory of
// the server.
func explained(t *testing.T, path, dir string, err error) {
	t.Helper()
	if err == nil {
		return
	}
	said := err.Error()
	for _, internal := range []string{"statat", "openat", "readdirent", dir} {
		if strings.Contains(said, internal) {
			t.Errorf("%q: the error %q has %s", path, said, internal)
		}
	}
	if !strings.Contains(said, strconv.Quote(path)) {
		t.Errorf("%q: the error %q does not name the path", path, said)
	}
}

func TestKindOf(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		data string
		want string
	}{
		{"song.mp3", "\xff\xfb\x90\x44\x00", "audio/mpeg"},
		{"song.mp3", "ID3\x03\x00\x00", "audio/mpeg"},
		{"song.ogg", "OggS\x00", "audio/ogg"},
		{"film.ogv", "OggS\x00", "application/ogg"},
		{"photo", "\xff\xd8\xff\xe0\x00", "image/jpeg"},
		{"page.HTML", "<html>", "text/html"},
		{"program.exe", "text all the same", "text/plain"},
		{"wide.txt", "\xff\xfea\x00", "application/octet-stream"},
		{"unseen.PNG", "", "image/png"},
		{"unseen", "", ""},
	}
	for _, test := range tests {
		if got := kindOf(test.name, []byte(test.data)); got != test.want {
			t.Errorf("kindOf(%q, %q) = %q, want %q", test.name, test.data, got, test.want)
		}
	}
	if got := kindOf("x", []byte(strings.Repeat("\x00", 600))); got != "application/octet-stream" {
		t.Errorf("zeros are %q", got)
	}
}
