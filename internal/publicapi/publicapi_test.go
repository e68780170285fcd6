package publicapi_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/internal/publicapi"
)

func TestList(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.go": `package p

import "context"

// Comments are not listed.
const A, b = 1, 2

const (
	First Kind = iota // nor here
	Second
	third
)

var Err = make(chan int)
var Text string

type Kind int
type Other = Kind
type hidden struct{ A int }
type Pair[K comparable, V any] struct {
	Key, key K
	Value    V // of the pair
	*Kind
	hidden
}
type Seller interface {
	Buyer
	Sell(price int) (
		sold bool,
		err error,
	)
	sealed()
}
type Buyer interface{ Buy() }

func (p *Pair[K, V]) Get(ctx context.Context, key K) (V, error) { panic("x") }
func (hidden) Lost()                                            {}
func (p *Pair[K, V]) get()                                      {}
func New[T any](v ...T) *Pair[string, T]                        { return nil }
func internal()                                                 {}
`,
		"a_test.go":    "package p\n\nfunc Tested() {}\n",
		"a_windows.go": "package p\n\nfunc Windows() {}\n",
		"a_linux.go":   "package p\n\nfunc System() {}\n",
		"a_darwin.go":  "package p\n\nfunc System() {}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := publicapi.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	const want = `const A = 1
const First Kind = iota
const Second Kind
func New[T any](v ...T) *Pair[string, T]
func System()
method (*Pair[K, V]) Get(ctx context.Context, key K) (V, error)
type Buyer interface
type Buyer interface, Buy()
type Kind int
type Other = Kind
type Pair[K comparable, V any] struct
type Pair[K comparable, V any] struct, Key K
type Pair[K comparable, V any] struct, Value V
type Pair[K comparable, V any] struct, embeds *Kind
type Seller interface
type Seller interface, Sell(price int) ( sold bool, err error, )
type Seller interface, embeds Buyer
type Seller interface, unexported methods
var Err
var Text string`
	if diff := cmp.Diff(want, strings.Join(got, "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestListFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := publicapi.List(dir); err == nil {
		t.Error("a directory without Go files is no package")
	}
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package p\n\nfunc {"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := publicapi.List(dir); err == nil {
		t.Error("a file that does not parse has no list")
	}
}
