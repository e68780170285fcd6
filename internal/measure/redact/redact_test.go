package redact_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/measure/redact"
)

// Made-up secrets, split so that no scanner takes them for real ones.
const (
	random  = "q7Rk2vX9mB4nTz8LpW3s" + "Yc6H"
	hexKey  = "9f8b3c" + "5d1e7a2046b8d3f5a1c9e07b42"
	jwt     = "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
	github  = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	openAI  = "sk-" + "proj-4f8Kq2Lm9Xc7Vb1Nz5Rt"
	aws     = "AKIA" + "IOSFODNN7EXAMPLE"
	slack   = "xoxb-" + "17653672481-19874698323-pdFZKVeTuE8sk7oOHcbrzqgy"
	privKey = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----"
)

func TestSecret(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, value string
		secret      bool
		reason      string
	}{
		{"PASSWORD", "hunter2", true, "the word itself"},
		{"DB_PASSWORD", "hunter2", true, "a word of the name"},
		{"dbPassword", "hunter2", true, "words have humps"},
		{"PGPASSWORD", "hunter2", true, "written together, as libpq does"},
		{"MYSQL_PWD", "hunter2", true, "what the MySQL client reads"},
		{"GITHUB_TOKEN", "abc", true, "a word of the name"},
		{"X-Api-Key", "abcdef", true, "a header"},
		{"OPENAI_API_KEY", "abcdef", true, "a word of the name"},
		{"apikey", "abcdef", true, "written together"},
		{"AWS_SECRET_ACCESS_KEY", "abc/def+ghi", true, "a word of the name"},
		{"SSHKey", "abcdef", true, "an abbreviation before a hump"},
		{"Authorization", "Bearer x", true, "the header"},
		{"Cookie", "sid=1", true, "the header"},
		{"GOOGLE_CREDENTIALS", `{"a":1}`, true, "JSON in a variable"},
		{"NPM_CONFIG__AUTH", "dTpw", true, "what npm calls user and password"},
		{"SESSION_ID", "a81bc81b-dead", true, "whoever has it is logged in"},
		{"PASSWORD", "12345678", true, "digits are a password, if a bad one"},
		{"key", "abcdef", true, "a parameter of that name, as at Google"},

		{"SECRET_KEY_BASE", "abcdef", true, "words at the beginning"},
		{"API_KEY_PROD", "abcdef", true, "a word in the middle"},
		{"TOKEN_2", "abcdef", true, "a number behind the word"},
		{"SECRET_KEY", "/9j/4AAQSkZJRgABAQAAAQABAAD2Wq", true, "base64 may begin like a path"},
		{"PASSWORD", "$ecr-et!", true, "it begins like a reference"},

		{"TOKEN_ID", "abcdef", false, "an id may be shown"},
		{"passwordFile", "secret.txt", false, "a file by its name"},
		{"PWD", "/home/ada", false, "the working directory"},
		{"OLDPWD", "/home/ada", false, "the one before"},
		{"GIT_AUTHOR_NAME", "Ada Lovelace", false, "AUTHOR only begins like AUTH"},
		{"AUTHOR", "Ada Lovelace", false, "it is another word"},
		{"KEYBOARD", "qwertz-layout", false, "it only begins with KEY"},
		{"MONKEY", "see no evil", false, "it only ends with KEY"},
		{"KEYBOARD_LAYOUT", "de-neo", false, "no word of it"},
		{"TOKENIZERS_PARALLELISM", "false", false, "it only begins with TOKEN"},
		{"MAX_TOKENS", "100000", false, "tokens of a model are counted"},
		{"TOKEN_LIMIT", "100000000", false, "something about tokens"},
		{"SSH_AUTH_SOCK", "/tmp/ssh-x/agent.1", false, "a socket"},
		{"DESKTOP_SESSION", "ubuntu-wayland", false, "no session of anybody"},
		{"XDG_SESSION_TYPE", "wayland", false, "a type"},
		{"DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/user/1000/bus", false, "an address"},
		{"GOOGLE_APPLICATION_CREDENTIALS", "/home/ada/key.json", false, "the file has the secret, its path is none"},
		{"PASSWORD_FILE", "secret.txt", false, "a file by its name"},
		{"SSL_KEY", "/etc/ssl/private/server.key", false, "a path"},
		{"PUBLIC_KEY", "abcdefgh", false, "public"},
		{"SSH_PUBLIC_KEY", "ssh-ed25519 AAAA", false, "public"},
		{"AUTH_METHOD", "password", false, "something about it"},
		{"USE_PASSWORD", "true", false, "a switch"},
		{"API_KEY", "", false, "nothing is there to hide"},
		{"API_KEY", "${API_KEY}", false, "a reference is no value, and installs show it"},
		{"API_KEY", "<your key>", false, "a placeholder"},
		{"nextPageToken", "abcdef", false, "a place in a list"},
		{"PASSPORT_NUMBER_FORMAT", "AA-000", false, "it only begins with PASS"},
		{"COMPASS", "north", false, "it only ends with PASS"},
		{"BYPASS_CACHE", "everything", false, "it only ends with PASS"},
		{"HOME", "/home/ada", false, "nothing of it"},
		{"", "abc", false, "no name"},
	} {
		if got := redact.Secret(test.name, test.value); got != test.secret {
			t.Errorf("%s=%s: %t, want %t: %s", test.name, test.value, got, test.secret, test.reason)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want, reason string }{
		{"it has no -----END PRIVATE KEY-----", "it has no -----END PRIVATE KEY-----", "a text about a key"},
		{"postgres://u:pw@h/db", "postgres://u:(hidden)@h/db", "a password in a URL"},
		{"DATABASE_URL=postgres://u:pw@h:5432/db?sslmode=off", "DATABASE_URL=postgres://u:(hidden)@h:5432/db?sslmode=off", "in a variable"},
		{"redis://:pw@h", "redis://:(hidden)@h", "no user"},
		{"amqp://u:p%40w@h and http://x:y@[::1]/", "amqp://u:(hidden)@h and http://x:(hidden)@[::1]/", "two"},
		{"https://" + random + "@git.example/x", "https://(hidden)@git.example/x", "a token instead of a user"},
		{"https://e.example/a?x=1&token=abc&y=2", "https://e.example/a?x=1&token=(hidden)&y=2", "a parameter"},
		{"https://e.example/a?key=abcdef#t", "https://e.example/a?key=(hidden)#t", "a parameter as Google has it"},
		{"https://e.example/cb#access_token=abcdef&x=1", "https://e.example/cb#access_token=(hidden)&x=1", "a fragment as OAuth has it"},
		{"https://s3.example/x?X-Amz-Signature=abcdef0123&X-Amz-Date=2026", "https://s3.example/x?X-Amz-Signature=(hidden)&X-Amz-Date=2026", "a signed URL"},
		{"http://u:pw@h/?token=abc: connection refused", "http://u:(hidden)@h/?token=(hidden): connection refused", "the sentence goes on"},
		{"http://u:pw@:x/", "http://u:(hidden)@:x/", "a URL that is none"},
		{"Server=h;User Id=u;Password=pw;Encrypt=true", "Server=h;User Id=u;Password=(hidden);Encrypt=true", "a connection string"},
		{"AccountName=a;AccountKey=" + random + "==;x", "AccountName=a;AccountKey=(hidden);x", "that of Azure"},
		{"host=h password='p w' dbname=d", "host=h password=(hidden) dbname=d", "that of libpq"},
		{"export API_KEY=abc", "export API_KEY=(hidden)", "what a shell reads"},
		{"token " + github + ".", "token (hidden).", "GitHub"},
		{"it is " + openAI, "it is (hidden)", "OpenAI"},
		{aws + "/x", "(hidden)/x", "AWS"},
		{"slack: " + slack, "slack: (hidden)", "Slack"},
		{"a " + jwt + " b", "a (hidden) b", "a JSON Web Token"},
		{"x\n" + privKey + "\ny", "x\n(hidden)\ny", "a private key"},
		{"Authorization: Bearer abc-def-ghi", "Authorization: (hidden)", "a header on its line"},
		{"sent Bearer abc123def456ghi7 to h", "sent Bearer (hidden) to h", "a bearer token"},
		{"server --api-key=abc", "server --api-key=(hidden)", "a flag with ="},
		{`{"url":"postgres://u:pw@h","n":1}`, `{"url":"postgres://u:(hidden)@h","n":1}`, "JSON stays JSON"},
		{`{"a":{"password":"p\"w","n":[1]}}`, `{"a":{"password":"(hidden)","n":[1]}}`, "a member"},
		{`{"args":["--token","abc","x"]}`, `{"args":["--token","(hidden)","x"]}`, "an argument behind a flag"},

		{"PWD=/home/ada", "PWD=/home/ada", "the working directory"},
		{"GIT_AUTHOR_NAME=Ada Lovelace", "GIT_AUTHOR_NAME=Ada Lovelace", "no word of it is AUTH"},
		{"https://e.example:8080/@scope/x", "https://e.example:8080/@scope/x", "a port, and a path with @"},
		{"https://e.example/?mail=a@b.example&page=2", "https://e.example/?mail=a@b.example&page=2", "nothing to hide"},
		{"ssh://git@github.com/x", "ssh://git@github.com/x", "a user without password"},
		{"mailto:a@b.example at 10:30", "mailto:a@b.example at 10:30", "an address"},
		{"postgres://u:$PGPASSWORD@h", "postgres://u:$PGPASSWORD@h", "a reference"},
		{"it requires authentication (401); give a token: --header 'Authorization: Bearer TOKEN'", "it requires authentication (401); give a token: --header 'Authorization: Bearer TOKEN'", "our own advice"},
		{"Basic information about the token format", "Basic information about the token format", "prose"},
		{"the --password flag is required; --token names one", "the --password flag is required; --token names one", "prose about flags"},
		{"max_tokens=100 sort_key=name key=value", "max_tokens=100 sort_key=name key=value", "no secrets"},
		{"commit 9f8b3c5d1e7a2046b8d3f5a1c9e07b42aabbccdd", "commit 9f8b3c5d1e7a2046b8d3f5a1c9e07b42aabbccdd", "a hash in a text"},
		{"sk-learn and sk-skeleton-loading-animation", "sk-learn and sk-skeleton-loading-animation", "words with a dash"},
		{"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----", "certificates are public"},
		{`{"key":"PROJ-12","token_count":5}`, `{"key":"PROJ-12","token_count":5}`, "a member called key is mostly none"},
		{`{"nextPageToken":"abc"}`, `{"nextPageToken":"abc"}`, "a place in a list"},
		{`["--verbose","abc"]`, `["--verbose","abc"]`, "another flag"},
		{"", "", "nothing"},
	} {
		got := redact.Text(test.text)
		if got != test.want {
			t.Errorf("%s\n got %q\nwant %q", test.reason, got, test.want)
		}
		if again := redact.Text(got); again != got {
			t.Errorf("%s: a second time it is %q", test.reason, again)
		}
		raw, err := json.Marshal(map[string]string{"text": test.text})
		if err != nil {
			t.Fatal(err)
		}
		var back struct{ Text string }
		if err := json.Unmarshal(redact.JSON(raw, redact.Text), &back); err != nil || back.Text != test.want {
			t.Errorf("%s: in JSON %q, %v", test.reason, back.Text, err)
		}
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	var v redact.Values
	v.Pairs("=", []string{
		"GITHUB_TOKEN=ghp_0123456789", "HOME=/home/ada/long", `DB_PASSWORD=a"b\c<d>12345`, "AUTH_SHORT=yes", "EMPTY_SECRET=", "API_KEY=ghp_0123456789abc",
		"DATABASE_URL=postgres://user-name:pw-of-database@db.example/shop", "PWD=/srv/of/ada", "GIT_AUTHOR_NAME=Ada Lovelace", "MAIL_PASSWORD=hunter2",
		"GITHUB_SHA=" + hexKey + hexKey, "PASSWORD_FILE=/run/secrets/pass", "BAD_PASSWORD=p@ss word",
	})
	v.Pairs(":", []string{"Authorization: Bearer 0123-4567", "X-Name: somebody-long"})
	v.Command([]string{"server", "--token", "tok-of-command", "--name", "name-of-command", "KEY=key-of-command", "--dsn=mysql://u:pw-of-dsn@h", "-"})
	v.URL("https://user:pw-of-url@h/?api_key=key-of-url&page=page-of-url")
	for _, test := range []struct{ text, want, reason string }{
		{"it is ghp_0123456789.", "it is (hidden).", "a token"},
		{"it is ghp_0123456789abc.", "it is (hidden).", "one that another is part of"},
		{"Bearer 0123-4567", "(hidden)", "a header"},
		{"0123-4567", "(hidden)", "a header without its first word"},
		{`a"b\c<d>12345`, "(hidden)", "what JSON escapes"},
		{`{"b":"a\"b\\c\u003cd>12345"}`, `{"b":"(hidden)"}`, "JSON in text"},
		{`["{\"b\":\"a\\\"b\\\\c<d>12345\"}"]`, `["{\"b\":\"(hidden)\"}"]`, "JSON in text of JSON in text"},
		{`got {"b":"a\"b\\c<d>12345"}`, `got {"b":"(hidden)"}`, "JSON behind other text"},
		{`got {"b":"a\"b\\c\u003cd\u003e12345"}`, `got {"b":"(hidden)"}`, "JSON of package encoding/json behind other text"},
		{"p%40ss+word p%40ss%20word", "(hidden) (hidden)", "what URLs escape"},
		{"pw-of-database", "(hidden)", "the password of a URL, alone"},
		{"tok-of-command, pw-of-dsn, key-of-command", "(hidden), (hidden), (hidden)", "a command line"},
		{"pw-of-url key-of-url", "(hidden) (hidden)", "a URL"},
		{"pw " + strings.Repeat("hunter2 ", 2) + "hunter2,hunter2", "pw (hidden) (hidden) (hidden),(hidden)", "short ones with one character between them"},

		{"at /home/ada/long, yes", "at /home/ada/long, yes", "a directory, and what is too short"},
		{"/srv/of/ada by Ada Lovelace", "/srv/of/ada by Ada Lovelace", "PWD and AUTHOR are no secrets"},
		{"somebody-long", "somebody-long", "another header"},
		{"name-of-command page-of-url user-name db.example", "name-of-command page-of-url user-name db.example", "other flags, parameters and parts"},
		{"/run/secrets/pass", "/run/secrets/pass", "where a secret is"},
	} {
		if got := v.Text(test.text); got != test.want {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
		raw, err := json.Marshal(map[string]string{"text": test.text})
		if err != nil {
			t.Fatal(err)
		}
		for _, hide := range []func([]byte) []byte{v.JSON, v.KnownJSON} {
			var back struct{ Text string }
			if err := json.Unmarshal(hide(raw), &back); err != nil || back.Text != test.want {
				t.Errorf("%s: in JSON %q, %v, want %q", test.reason, back.Text, err, test.want)
			}
		}
	}
	const entry = `{"default":"postgres://u:p@h"}`
	if got := string(v.KnownJSON([]byte(entry))); got != entry {
		t.Errorf("what nobody has given was hidden: %s", got)
	}
}

func TestName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"Authorization=Bearer abcdefgh": "Authorization…", "X-Name": "X-Name", "=abcdefgh": "…", github: "…", "": ""} {
		if got := redact.Name(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestCommand(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"server", "--token", "abc", "--port", "80"}, "server --token (hidden) --port 80"},
		{[]string{"server", "--api-key=abc", "-v"}, "server --api-key=(hidden) -v"},
		{[]string{"docker", "run", "-e", "DB_PASSWORD=x", "-e", "LOG=debug", "img"}, "docker run -e DB_PASSWORD=(hidden) -e LOG=debug img"},
		{[]string{"server", "postgres://u:pw@h/db"}, "server postgres://u:(hidden)@h/db"},
		{[]string{"server", "--token", "--verbose"}, "server --token --verbose"},
		{[]string{"go", "run", "./examples/weather"}, "go run ./examples/weather"},
		{[]string{"server", "--token=abc12345", "filesystem"}, "server --token=(hidden) filesystem"},
		{[]string{"server", "--token", "abc12345", "filesystem"}, "server --token (hidden) filesystem"},
		{[]string{"server", "--revision=" + hexKey, "--tracing-key=" + random}, "server --revision=" + hexKey + " --tracing-key=(hidden)"},
		{nil, ""},
	} {
		if got := redact.Command(test.args); got != test.want {
			t.Errorf("%q: got %q, want %q", test.args, got, test.want)
		}
		var v redact.Values
		v.Command(test.args)
		if got := redact.Text(v.Known(test.want)); got != test.want {
			t.Errorf("%q: what Command shows is a secret for Values: %q, want %q", test.args, got, test.want)
		}
	}
	list := []byte(`["--token","--verbose","--token","abc12345","--token=abc12345","filesystem"]`)
	const want = `["--token","--verbose","--token","(hidden)","--token=(hidden)","filesystem"]`
	if got := string(redact.JSON(list, redact.Text)); got != want {
		t.Errorf("in JSON %s, want %s", got, want)
	}
}

// FuzzJSON checks that redacted JSON is valid and keeps its shape.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{"a":"postgres://u:pw@h"}`, `["--token","x",{"password":"p\\\"w"}]`, `{"a":"{\"token\":\"abc\"}"}`, `"\u003c\ud800"`, "{}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) {
			_ = redact.JSON(raw, redact.Text) // for other input, it only must not panic
			return
		}
		once := redact.JSON(raw, redact.Text)
		if !json.Valid(once) {
			t.Fatalf("%s became %s", raw, once)
		}
	})
}
