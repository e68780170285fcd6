package runtime_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/mcptool-go/mcptool/runtime"
)

// With the same keys, instances of a server can continue each other's sessions and questions.
func ExampleStateKeysFromEnv() {
	_, err := newServer()
	fmt.Println(err)
	// Output:
	// environment variable MCPTOOL_STATE_KEYS: there is no key; a key is the output of: openssl rand -hex 32
}

func newServer() (*runtime.Server, error) {
	keys, err := runtime.StateKeysFromEnv() // the same value in all instances
	if err != nil {
		return nil, err
	}
	return &runtime.Server{Name: "orders", StateKeys: keys}, nil
}

// The first start creates the file, and later starts read the key from it.
func ExampleStateKeysFromFile() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	first, err := runtime.StateKeysFromFile(filepath.Join(dir, "state.keys"))
	fmt.Println(len(first), err)
	second, err := runtime.StateKeysFromFile(filepath.Join(dir, "state.keys"))
	fmt.Println(second[0] == first[0], err)
	// Output:
	// 1 <nil>
	// true <nil>
}
