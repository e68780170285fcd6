package client

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

type payment interface{ isPayment() }

type card struct {
	Number string `json:"number"`
}

type transfer struct {
	IBAN string `json:"iban"`
}

func (card) isPayment()     {}
func (transfer) isPayment() {}

func init() {
	reflectschema.RegisterUnion("kind", map[string]payment{"card": card{}, "transfer": transfer{}})
}

type order struct {
	ID      int64                    `json:"id"`
	Payment payment                  `json:"payment,omitzero"`
	Note    mcptool.Optional[string] `json:"note,omitzero"`
	Items   []price                  `json:"items,omitzero"`
	Tags    []string                 `json:"tags,omitzero"`
	Any     any                      `json:"any,omitzero"`
}

// TestBodies checks bodies that are not multipart.
func TestBodies(t *testing.T) {
	t.Parallel()
	var union payment = card{"4242"}
	full := order{ID: 9007199254740993, Payment: transfer{"DE1"}, Note: mcptool.Optional[string]{Null: true}, Tags: []string{"a&b", "c d"}, Items: []price{{"1", nil}}}
	for _, test := range []struct {
		name            string
		build           func(*request)
		mediaType, want string
	}{
		{
			"JSON", func(r *request) { r.json("application/json", full) }, "application/json",
			`{"id":9007199254740993,"payment":{"kind":"transfer","iban":"DE1"},"note":null,"items":[{"price":"1"}],"tags":["a&b","c d"]}`,
		},
		{"merge patch", func(r *request) { r.json("application/merge-patch+json", order{}) }, "application/merge-patch+json", `{"id":0}`},
		{"number in an any", func(r *request) { r.json("application/json", order{Any: json.Number("12345678901234567890.5")}) }, "application/json", `{"id":0,"any":12345678901234567890.5}`},
		{"union", func(r *request) { r.json("application/json", &union) }, "application/json", `{"kind":"card","number":"4242"}`},
		{"optional JSON that is there", func(r *request) { r.json("application/json", order{ID: 1}); r.optionalBody() }, "application/json", `{"id":1}`},
		{"optional JSON that is zero", func(r *request) { r.json("application/json", order{}); r.optionalBody() }, "", ""},
		{"optional JSON that is nil", func(r *request) { r.json("application/json", (*order)(nil)); r.optionalBody() }, "", ""},
		{"optional empty list", func(r *request) { r.json("application/json", []string{}); r.optionalBody() }, "application/json", "[]"},
		{"optional text", func(r *request) { r.text("text/plain", ""); r.optionalBody() }, "", ""},
		{"text", func(r *request) { r.text("text/plain", "é") }, "text/plain", "é"},
		{"bytes", func(r *request) { r.bytes("application/octet-stream", []byte{0, 255}) }, "application/octet-stream", "\x00\xff"},
		{"bytes of any image type", func(r *request) { r.bytes("image/*", []byte("GIF89a")) }, "image/gif", "GIF89a"},
		{
			"form", func(r *request) { r.form(full) }, "application/x-www-form-urlencoded",
			"id=9007199254740993&payment=%7B%22kind%22%3A%22transfer%22%2C%22iban%22%3A%22DE1%22%7D&note=&items=%7B%22price%22%3A%221%22%7D&tags=a%26b&tags=c%20d",
		},
		{"form with styles", func(r *request) {
			r.form(order{ID: 1, Payment: card{"42"}, Items: []price{{"1", []string{"x"}}}, Tags: []string{"a", "b"}},
				part{name: "items", style: deepObject}, part{name: "payment", style: deepObject | exploded}, part{name: "tags", style: form | joined})
		}, "application/x-www-form-urlencoded", "id=1&payment%5Bkind%5D=card&payment%5Bnumber%5D=42&items%5B0%5D%5Bprice%5D=1&items%5B0%5D%5Btaxes%5D%5B0%5D=x&tags=a,b"},
		{"form with a list as JSON", func(r *request) {
			r.form(order{Tags: []string{"a"}}, part{name: "tags", mediaType: "application/json"})
		}, "application/x-www-form-urlencoded", "id=0&tags=%5B%22a%22%5D"},
		{"form with a string as JSON", func(r *request) {
			r.form(price{Price: "1"}, part{name: "price", mediaType: "application/json"})
		}, "application/x-www-form-urlencoded", "price=%221%22"},
		{
			"form with a file", func(r *request) { r.form(owned{&File{Name: "a", Data: []byte("x")}}) }, "application/x-www-form-urlencoded",
			"avatar=%7B%22name%22%3A%22a%22%2C%22data%22%3A%22eA%3D%3D%22%7D",
		},
		{"absent form", func(r *request) { r.form((*order)(nil)); r.optionalBody() }, "", ""},
	} {
		r, body := sent(t, http.MethodPost, "/", test.build)
		if got := r.Header.Get("Content-Type"); got != test.mediaType || body != test.want {
			t.Errorf("%s: got %q, %s, want %q, %s", test.name, got, body, test.mediaType, test.want)
		}
		if r.ContentLength != int64(len(test.want)) {
			t.Errorf("%s: got length %d, want %d", test.name, r.ContentLength, len(test.want))
		}
	}
}

type owned struct {
	Avatar *File `json:"avatar,omitzero"`
}

type upload struct {
	Title string                   `json:"title"`
	Photo File                     `json:"photo"`
	More  []File                   `json:"more,omitzero"`
	Icon  *File                    `json:"icon,omitzero"`
	Meta  map[string]string        `json:"meta,omitzero"`
	Cover mcptool.Optional[File]   `json:"cover,omitzero"`
	Pages mcptool.Optional[[]File] `json:"pages,omitzero"`
	Tags  []string                 `json:"tags,omitzero"`
	owned
}

// TestMultipart reads a multipart body back.
func TestMultipart(t *testing.T) {
	t.Parallel()
	png := []byte("\x89PNG\r\n\x1a\nimage")
	value := upload{
		Title: "Émile \"x\"", Photo: File{Name: "a\"b\r\n.png", Data: png},
		More: []File{{Name: "1", Data: []byte("plain")}, {Name: "2", ContentType: "text/csv", Data: []byte("a,b")}},
		Meta: map[string]string{"k": "v"}, Tags: []string{"x", "y"},
	}
	value.Cover.Value = &File{Name: "c.png", Data: png}
	value.Pages.Value = &[]File{{Name: "p.png", Data: png}}
	value.Avatar = &File{Name: "me", Data: png}
	r, body := sent(t, http.MethodPost, "/", func(r *request) {
		r.multipart(value, part{name: "title", mediaType: "text/markdown"}, part{name: "photo", mediaType: "image/png, image/jpeg"}, part{name: "avatar", mediaType: "image/webp"})
	})
	if r.ContentLength != int64(len(body)) {
		t.Errorf("got length %d of %d bytes", r.ContentLength, len(body))
	}
	_, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	reader := multipart.NewReader(strings.NewReader(body), parameters["boundary"])
	for _, want := range []struct{ name, file, mediaType, data string }{
		{"title", "", "text/markdown", "Émile \"x\""},
		{"photo", "a\"b.png", "image/png", string(png)},
		{"more", "1", "text/plain; charset=utf-8", "plain"},
		{"more", "2", "text/csv", "a,b"},
		{"meta", "", "application/json", `{"k":"v"}`},
		{"cover", "c.png", "image/png", string(png)},
		{"pages", "p.png", "image/png", string(png)},
		{"tags", "", "", "x"},
		{"tags", "", "", "y"},
		{"avatar", "me", "image/webp", string(png)},
	} {
		p, err := reader.NextPart()
		if err != nil {
			t.Fatalf("%s: %v", want.name, err)
		}
		data, err := io.ReadAll(p)
		if err != nil {
			t.Fatal(err)
		}
		// The line break in the name of a file is escaped, as browsers do.
		file := strings.ReplaceAll(p.FileName(), "%0D%0A", "")
		if p.FormName() != want.name || file != want.file || p.Header.Get("Content-Type") != want.mediaType || string(data) != want.data {
			t.Errorf("got %s, %q, %v, %q, want %+v", p.FormName(), p.FileName(), p.Header, data, want)
		}
	}
	if _, err := reader.NextPart(); err != io.EOF {
		t.Errorf("got another part, or %v", err)
	}
}

// TestMultipartRefused checks that a media type from an argument cannot add headers to a part.
func TestMultipartRefused(t *testing.T) {
	t.Parallel()
	for _, mediaType := range []string{"image/png\r\nX-Evil: 1", "image/png;\r\n\r\nevil=1", "no type at all", "image/*,"} {
		err := refusal(t, "/", func(r *request) {
			r.multipart(upload{Photo: File{Name: "a", ContentType: mediaType, Data: []byte("x")}})
		})
		if !strings.Contains(err.Error(), "photo cannot be sent") {
			t.Errorf("%q: got %q", mediaType, err)
		}
	}
}

// TestFileInJSON checks that a file is a name and base64 where a body is not multipart.
func TestFileInJSON(t *testing.T) {
	t.Parallel()
	_, body := sent(t, http.MethodPost, "/", func(r *request) { r.json("application/json", File{Name: "a", Data: []byte("x")}) })
	if want := `{"name":"a","data":"eA=="}`; body != want {
		t.Errorf("got %s, want %s", body, want)
	}
}

// TestLargeFile checks that a file of 2 MB is sent unchanged.
func TestLargeFile(t *testing.T) {
	t.Parallel()
	data := bytes.Repeat([]byte("0123456789"), 200_000)
	_, body := sent(t, http.MethodPost, "/", func(r *request) { r.multipart(upload{Photo: File{Name: "a", Data: data}}) })
	if !strings.Contains(body, string(data)) {
		t.Errorf("the body of %d bytes does not have the file", len(body))
	}
}
