package runtime

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/seal"
)

// stateKeysEnv is the environment variable that [StateKeysFromEnv] reads.
const stateKeysEnv = "MCPTOOL_STATE_KEYS"

// howToMakeKey ends errors about missing keys.
const howToMakeKey = "a key is the output of: openssl rand -hex 32"

// StateKeysFromEnv returns keys for [Server.StateKeys] from the environment variable MCPTOOL_STATE_KEYS: one or more keys
// of 64 hexadecimal digits, such as the output of openssl rand -hex 32, separated by commas or white space. It is for
// several instances of a server, which need the same keys. It returns an error if the variable is unset or empty, or if
// a key is malformed or has only zeros; the error does not contain the value.
func StateKeysFromEnv() ([][32]byte, error) {
	keys, err := parseStateKeys(os.Getenv(stateKeysEnv))
	if err != nil {
		return nil, fmt.Errorf("environment variable %s: %w", stateKeysEnv, err)
	}
	return keys, nil
}

// StateKeysFromFile returns keys for [Server.StateKeys] from a file in the format of [StateKeysFromEnv]. If the file does
// not exist, it is created in its directory, which must exist, with a random key, and can be read only by its owner (mode
// 0600). Processes that call StateKeysFromFile at the same time get the same key, and the file never has a part of a key,
// even if a process or the machine stops meanwhile. The mode of an existing file is not checked. It returns an error if
// the file cannot be read or created, if it is a symbolic link to a file that does not exist, or if its keys are
// malformed; the error does not contain the keys.
//
// Keep the file where it survives a restart: in a container, on a volume. Instances on several machines do not share it
// and need StateKeysFromEnv.
func StateKeysFromFile(name string) ([][32]byte, error) {
	text, err := os.ReadFile(name) //nolint:gosec // the operator chooses the file
	if errors.Is(err, fs.ErrNotExist) {
		if err = createStateKey(name); err == nil {
			text, err = os.ReadFile(name) //nolint:gosec // the same file; another process may have created it
		}
	}
	if err != nil {
		return nil, fmt.Errorf("state keys: %w", err)
	}
	keys, err := parseStateKeys(string(text))
	if err != nil {
		return nil, fmt.Errorf("state keys in %s: %w", name, err)
	}
	return keys, nil
}

// processKey returns the key of the servers without StateKeys in this process. They share it, because a program may use
// another Server for each request, and the answers to a question arrive with the next request.
var processKey = sync.OnceValue(func() (key [32]byte) {
	_, _ = rand.Read(key[:]) // never fails
	return key
})

// createStateKey creates a file with a random key, unless another process has created it. It writes the key to another
// file, and then gives that file its name with a link, which fails if the name exists: a rename would replace the key
// that another process has just read.
//
// It does not follow a symbolic link to a missing file, like [os.O_EXCL]: whoever made the link would choose where the key is.
func createStateKey(name string) (err error) {
	if target, err := os.Readlink(name); err == nil {
		return fmt.Errorf("%s is a symbolic link to %s, which does not exist; remove the link, or create that file; %s", name, target, howToMakeKey)
	}
	file, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.tmp") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	var key [32]byte
	_, _ = rand.Read(key[:]) // never fails
	_, err = fmt.Fprintf(file, "%x\n", key)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err = os.Link(file.Name(), name); err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	return fmt.Errorf("%w: if the file system has no hard links, create the file yourself; %s", err, howToMakeKey)
}

// parseStateKeys parses keys in hexadecimal, separated by commas or white space. Errors do not quote the text, which is
// secret.
func parseStateKeys(text string) (keys [][32]byte, err error) {
	isSeparator := func(r rune) bool { return strings.ContainsRune(", \t\r\n", r) }
	for i, word := range strings.FieldsFunc(text, isSeparator) {
		key, err := hex.DecodeString(word)
		switch {
		case err != nil || len(key) != len([32]byte{}):
			return nil, fmt.Errorf("key %d does not have 64 hexadecimal digits, but %d characters; %s", i+1, len(word), howToMakeKey)
		case bytes.Equal(key, make([]byte, len(key))):
			return nil, fmt.Errorf("key %d has only zeros; %s", i+1, howToMakeKey)
		}
		keys = append(keys, [32]byte(key))
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("there is no key; %s", howToMakeKey)
	}
	return keys, nil
}

// sealer seals what clients keep for the server: request state and ids of sessions.
type sealer struct {
	*seal.Sealer
	server  string             // Server.Name, which everything sealed is bound to
	hasKeys bool               // of Server.StateKeys; otherwise it has the random key of the process
	foreign admission.Repeated // see open
	log     *slog.Logger
}

// open decrypts what Seal has returned, and logs if it was sealed elsewhere: a client that keeps a session id from elsewhere
// may never begin another session, and the operator would not learn why. It is a warning at most once a minute, because
// clients can send any number of such ids, and the first one may have another reason than those after it.
func (s *sealer) open(sealed string, b seal.Binding) ([]byte, error) {
	payload, err := s.Open(sealed, b, time.Now())
	if !errors.Is(err, seal.ErrForeign) {
		return payload, err
	}
	level, suppressed := s.foreign.Level()
	level = min(level, slog.LevelWarn)
	if s.hasKeys {
		s.log.Log(context.Background(), level, "a client sent a session id or request state that cannot be decrypted with Server.StateKeys; it was made with another key, or for another tenant, principal or Server.Name; all instances need the same keys, and a replaced key must be kept for a week", slog.Int("suppressed", suppressed))
		return nil, err
	}
	s.log.Log(context.Background(), level, "a client sent a session id or request state of another process, for example of the one before a restart, or of another tenant or principal; many clients never begin a new session; if this follows a restart, set Server.StateKeys, for example from runtime.StateKeysFromFile, or runtime.StateKeysFromEnv if there are several instances", slog.Int("suppressed", suppressed))
	return nil, err
}

// binding returns what everything that is sealed for a caller is bound to.
func (s *sealer) binding(a *Access, method string) seal.Binding {
	owner := a.owner()
	return seal.Binding{Server: s.server, Tenant: owner.Tenant, Principal: owner.Principal, Method: method}
}

// newSealer returns what seals state with the keys for the server with this name. Without keys it uses the random one of the
// process. A key of zeros, which anyone can guess, is a mistake, and is not used.
func newSealer(keys [][32]byte, server string, logger *slog.Logger) (made *sealer, mistake error) {
	usable := slices.DeleteFunc(slices.Clone(keys), func(key [32]byte) bool { return key == [32]byte{} })
	if zeros := slices.Index(keys, [32]byte{}); zeros >= 0 {
		mistake = fmt.Errorf("Server.StateKeys: element %d has only zeros; was it loaded?", zeros)
	}
	made = &sealer{server: server, hasKeys: len(usable) > 0, log: logger}
	if !made.hasKeys {
		usable = [][32]byte{processKey()}
	}
	made.Sealer = seal.New(usable...)
	return made, mistake
}
