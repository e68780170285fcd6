package runtime_test

import (
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"

	"github.com/mcptool-go/mcptool/runtime"
)

// TestStateKeysFromEnv checks the format of keys, and that errors do not contain keys.
func TestStateKeysFromEnv(t *testing.T) { //nolint:paralleltest // sets an environment variable
	one, two := strings.Repeat("0a", 32), strings.Repeat("F1", 32)
	tests := []struct {
		name, value string
		want        []byte // first byte of each key
		err         string
	}{
		{"one key", one, []byte{0x0a}, ""},
		{"several keys", one + "," + two, []byte{0x0a, 0xf1}, ""},
		{"white space", " " + two + "\r\n" + one + " \n", []byte{0xf1, 0x0a}, ""},
		{"unset or empty", "", nil, "MCPTOOL_STATE_KEYS: there is no key; a key is the output of: openssl rand -hex 32"},
		{"only separators", " ,\n", nil, "there is no key"},
		{"short key", one + "," + two[:62], nil, "key 2 does not have 64 hexadecimal digits, but 62 characters"},
		{"long key", one + "00", nil, "key 1 does not have 64 hexadecimal digits, but 66 characters"},
		{"not hexadecimal", "x" + one[1:], nil, "key 1 does not have 64 hexadecimal digits"},
		{"zeros", strings.Repeat("0", 64), nil, "key 1 has only zeros"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("MCPTOOL_STATE_KEYS", test.value)
			keys, err := runtime.StateKeysFromEnv()
			var first []byte
			for _, key := range keys {
				first = append(first, key[0])
			}
			if string(first) != string(test.want) {
				t.Errorf("first bytes of the keys = %x, want %x", first, test.want)
			}
			if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("StateKeysFromEnv = %v, want %q", err, test.err)
			}
			if err != nil && (strings.Contains(err.Error(), one[4:20]) || strings.Contains(err.Error(), two[4:20])) {
				t.Errorf("the error contains a key: %v", err)
			}
		})
	}
}

// TestStateKeysFromFile: processes that start at the same time get the same key, and create one file that only its owner
// can read.
func TestStateKeysFromFile(t *testing.T) {
	t.Parallel()
	for range 20 {
		name := filepath.Join(t.TempDir(), "state.keys")
		var (
			group sync.WaitGroup
			keys  [16][][32]byte
			errs  [16]error
		)
		for i := range keys {
			group.Go(func() { keys[i], errs[i] = runtime.StateKeysFromFile(name) })
		}
		group.Wait()
		for i := range keys {
			if errs[i] != nil || len(keys[i]) != 1 || keys[i][0] != keys[0][0] || keys[i][0] == [32]byte{} {
				t.Fatalf("start %d: %d keys, %v; all starts must use the same key", i, len(keys[i]), errs[i])
			}
		}
		entries, err := os.ReadDir(filepath.Dir(name))
		if err != nil || len(entries) != 1 {
			t.Fatalf("got %d files (%v), want 1", len(entries), err)
		}
		info, err := entries[0].Info()
		if err != nil || goruntime.GOOS != "windows" && info.Mode() != 0o600 {
			t.Fatalf("mode = %v (%v), want 0600", info.Mode(), err)
		}
	}
}

// TestStateKeysFromFileMistakes: a file with an incomplete key is neither used nor replaced, since its key may be in
// use elsewhere.
func TestStateKeysFromFileMistakes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"empty":     {"", "there is no key"},
		"truncated": {strings.Repeat("ab", 20), "key 1 does not have 64 hexadecimal digits, but 40 characters"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "state.keys")
			if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := runtime.StateKeysFromFile(file)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), file) {
				t.Errorf("got %v, want %s and the name of the file", err, test.want)
			}
			if text, _ := os.ReadFile(file); string(text) != test.text {
				t.Errorf("the file was changed to %q", text)
			}
		})
	}
	t.Run("link to a missing file", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		file, target := filepath.Join(dir, "state.keys"), filepath.Join(dir, "target.keys")
		if err := os.Symlink("target.keys", file); err != nil {
			t.Skip(err) // Windows requires a privilege
		}
		_, err := runtime.StateKeysFromFile(file)
		if want := file + " is a symbolic link to target.keys, which does not exist"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("got %d files (%v), want only the link", len(entries), err)
		}
		if err := os.WriteFile(target, []byte(strings.Repeat("ab", 32)), 0o600); err != nil {
			t.Fatal(err)
		}
		if keys, err := runtime.StateKeysFromFile(file); err != nil || len(keys) != 1 || keys[0][0] != 0xab {
			t.Errorf("link to a file: got %d keys, %v; want the key of the file", len(keys), err)
		}
	})
	if _, err := runtime.StateKeysFromFile(filepath.Join(t.TempDir(), "missing", "state.keys")); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("got %v, want an error about the missing directory", err)
	}
}
