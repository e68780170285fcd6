package client

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

type rgb struct{ R, G, B int }

// TestStyles has the examples of the OpenAPI Specification 3.1.1, section Style Examples. "-" means that it has none.
func TestStyles(t *testing.T) {
	t.Parallel()
	array, object := []string{"blue", "black", "brown"}, rgb{100, 200, 150}
	for _, test := range []struct {
		in                           string
		style                        style
		empty, text, list, structure string
	}{
		{"path", matrix, ";color", ";color=blue", ";color=blue,black,brown", ";color=R,100,G,200,B,150"},
		{"path", matrix | exploded, ";color", ";color=blue", ";color=blue;color=black;color=brown", ";R=100;G=200;B=150"},
		{"path", label, ".", ".blue", ".blue,black,brown", ".R,100,G,200,B,150"},
		{"path", label | exploded, ".", ".blue", ".blue.black.brown", ".R=100.G=200.B=150"},
		{"path", simple, "-", "blue", "blue,black,brown", "R,100,G,200,B,150"}, // empty: TestPathRefused
		{"path", simple | exploded, "-", "blue", "blue,black,brown", "R=100,G=200,B=150"},
		{"path", 0, "-", "blue", "blue,black,brown", "R,100,G,200,B,150"},
		{"header", simple, "", "blue", "blue,black,brown", "R,100,G,200,B,150"},
		{"header", simple | exploded, "", "blue", "blue,black,brown", "R=100,G=200,B=150"},
		{"header", 0, "", "blue", "blue,black,brown", "R,100,G,200,B,150"},
		{"query", form | joined, "color=", "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"},
		{"query", form | exploded, "color=", "color=blue", "color=blue&color=black&color=brown", "R=100&G=200&B=150"},
		{"query", form, "color=", "color=blue", "color=blue&color=black&color=brown", "R=100&G=200&B=150"},
		{"query", 0, "color=", "color=blue", "color=blue&color=black&color=brown", "R=100&G=200&B=150"},
		{"query", joined, "color=", "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"},
		{"query", spaceDelimited, "-", "-", "color=blue%20black%20brown", "color=R%20100%20G%20200%20B%20150"},
		{"query", spaceDelimited | exploded, "-", "-", "color=blue&color=black&color=brown", "-"},
		{"query", pipeDelimited, "-", "-", "color=blue%7Cblack%7Cbrown", "color=R%7C100%7CG%7C200%7CB%7C150"},
		{"query", deepObject | exploded, "-", "-", "-", "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"},
		{"query", deepObject, "-", "-", "-", "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"},
		{"query", asJSON, `color=%22%22`, `color=%22blue%22`, "-", "color=%7B%22R%22%3A100%2C%22G%22%3A200%2C%22B%22%3A150%7D"},
		{"path", asJSON, "%22%22", "%22blue%22", "-", "-"},
		{"header", asJSON, `""`, `"blue"`, `["blue","black","brown"]`, `{"R":100,"G":200,"B":150}`},
		{"cookie", form | joined, "color=", "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"},
		{"cookie", form, "color=", "color=blue", "color=blue; color=black; color=brown", "R=100; G=200; B=150"},
	} {
		for _, value := range []struct {
			value any
			want  string
		}{{"", test.empty}, {"blue", test.text}, {array, test.list}, {object, test.structure}} {
			if value.want == "-" {
				continue
			}
			got := ""
			switch test.in {
			case "path":
				r, _ := sent(t, http.MethodGet, "/p{color}", func(r *request) { r.path("color", value.value, test.style) })
				got = strings.TrimPrefix(r.URL.EscapedPath(), "/v1/p")
			case "query":
				r, _ := sent(t, http.MethodGet, "/", func(r *request) { r.query("color", value.value, test.style) })
				got = r.URL.RawQuery
			case "header":
				r, _ := sent(t, http.MethodGet, "/", func(r *request) { r.header("Color", value.value, test.style) })
				got = r.Header.Get("Color")
				if len(r.Header.Values("Color")) != 1 {
					t.Errorf("header, style %b of %v: the header is not sent once", test.style, value.value)
				}
			case "cookie":
				r, _ := sent(t, http.MethodGet, "/", func(r *request) { r.cookie("color", value.value, test.style) })
				got = r.Header.Get("Cookie")
			}
			if got != value.want {
				t.Errorf("%s, style %b of %v: got %s, want %s", test.in, test.style, value.value, got, value.want)
			}
		}
	}
}

// TestModifiersListed checks that a modifier may be a separate argument.
func TestModifiersListed(t *testing.T) {
	t.Parallel()
	r, _ := sent(t, http.MethodGet, "/", func(r *request) { r.query("a", []int{1, 2}, pipeDelimited, exploded) })
	if got, want := r.URL.RawQuery, "a=1&a=2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

type price struct {
	Price string   `json:"price"`
	Taxes []string `json:"taxes,omitzero"`
}

// TestQueryValues checks which values are sent, and how characters are escaped.
func TestQueryValues(t *testing.T) {
	t.Parallel()
	var (
		text  = "x"
		null  = mcptool.Optional[string]{Null: true}
		value = mcptool.Optional[string]{Value: &text}
	)
	for _, test := range []struct {
		name  string
		value any
		how   []style
		want  string
	}{
		{"nil", nil, nil, ""},
		{"nil pointer", (*string)(nil), nil, ""},
		{"nil slice", []string(nil), nil, ""},
		{"nil map", map[string]string(nil), nil, ""},
		{"absent optional", mcptool.Optional[string]{}, nil, ""},
		{"null", null, nil, "p="},
		{"optional", value, nil, "p=x"},
		{"pointer", &text, nil, "p=x"},
		{"empty slice", []string{}, nil, ""},
		{"empty joined slice", []string{}, []style{joined}, ""},
		{"empty deep object", map[string]string{}, []style{deepObject}, ""},
		{"false", false, nil, "p=false"},
		{"zero", 0, nil, "p=0"},
		{"large integer", int64(9007199254740993), nil, "p=9007199254740993"},
		{"float", 1e21, nil, "p=1e%2B21"},
		{"reserved characters", ":/?#[]@!$&'()*+,;= %é", nil, "p=%3A%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D%20%25%C3%A9"},
		{"reserved characters, raw", ":/?#[]@!$&'()*+,;= %é", []style{raw}, "p=:/?%23%5B%5D@!$%26'()*%2B,;=%20%25%C3%A9"},
		{"escape, raw", "%3A", []style{raw}, "p=%253A"},
		{"commas of elements", []string{"a,b", "c"}, []style{joined}, "p=a%2Cb,c"},
		{"objects in lists, deep", []price{{"1", nil}, {"2", []string{"a", "b"}}}, []style{deepObject}, "p%5B0%5D%5Bprice%5D=1&p%5B1%5D%5Bprice%5D=2&p%5B1%5D%5Btaxes%5D%5B0%5D=a&p%5B1%5D%5Btaxes%5D%5B1%5D=b"},
	} {
		r, _ := sent(t, http.MethodGet, "/", func(r *request) { r.query("p", test.value, test.how...) })
		if got := r.URL.RawQuery; got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

// TestPath checks that no argument changes the other segments of a path.
func TestPath(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"a/b":        "/v1/pets/a%2Fb/toys",
		"?a=b#c":     "/v1/pets/%3Fa%3Db%23c/toys",
		"%2e%2e":     "/v1/pets/%252e%252e/toys",
		"...":        "/v1/pets/.../toys",
		"{id}":       "/v1/pets/%7Bid%7D/toys",
		"a b+c":      "/v1/pets/a%20b%2Bc/toys",
		"\x00\n":     "/v1/pets/%00%0A/toys",
		"//evil.com": "/v1/pets/%2F%2Fevil.com/toys",
	} {
		r, _ := sent(t, http.MethodGet, "/pets/{id}/toys", func(r *request) { r.path("id", value, raw) })
		if got := r.URL.EscapedPath(); got != want || r.URL.Host != "api.example.com" || r.URL.RawQuery != "" {
			t.Errorf("%q: got %s, want path %s", value, r.URL, want)
		}
	}
}

func TestPathRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, path string
		value      any
		how        style
		want       string
	}{
		{"parent", "/pets/{id}", "..", 0, "must not contain the segments . or .."},
		{"same", "/pets/{id}/toys", ".", 0, "must not contain the segments . or .."},
		{"parent between slashes", "/pets/{id}", "a/../../users", 0, "must not contain the segments . or .."},
		{"parent between backslashes", "/pets/{id}", `a\..\users`, 0, "must not contain the segments . or .."},
		{"made of two parameters", "/pets/{id}{id}", ".", 0, "must not contain the segments . or .."},
		{"empty label", "/pets/{id}", "", label, "must not contain the segments . or .."},
		{"empty", "/pets/{id}", "", 0, "id cannot be sent: it is a part of the path, which must not be empty"},
		{"nil", "/pets/{id}", (*string)(nil), 0, "id cannot be sent: it is a part of the path, which must not be empty"},
		{"empty list", "/pets/{id}", []string{}, matrix, "id cannot be sent: it is a part of the path, which must not be empty"},
		{"unset", "/pets/{other}", "1", 0, "the path /pets/{other} has a parameter without a value"},
		{"nested list", "/pets/{id}", [][]int{{1}}, 0, "id cannot be sent: the API does not say how lists and objects within it are written"},
	} {
		err := refusal(t, test.path, func(r *request) { r.path("id", test.value, test.how) })
		if !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %q, want %q", test.name, err, test.want)
		}
	}
}

func TestParameterRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		build func(*request)
		want  string
	}{
		{"line break in a header", func(r *request) { r.header("X-Request-ID", "a\r\nHost: evil.com") }, "X-Request-ID cannot be sent: it is a header"},
		{"object in a list", func(r *request) { r.query("filter", []rgb{{}}) }, "filter cannot be sent: the API does not say"},
		{"value without JSON", func(r *request) { r.query("filter", make(chan int)) }, "filter cannot be sent"},
		{"body without JSON", func(r *request) { r.json("application/json", make(chan int)) }, "the body cannot be sent"},
		{"first of two mistakes", func(r *request) { r.header("A", "\n"); r.header("B", "\n") }, "A cannot be sent"},
	} {
		if err := refusal(t, "/", test.build); !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: got %q, want %q", test.name, err, test.want)
		}
	}
}
