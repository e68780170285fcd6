package jetstream

import (
	"crypto/sha256"
	"encoding/base64"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/task"
)

// A record has the subject NAME.task.ID.OWNER.CREATED.INSTANCE, of which no part ever changes. So a record is found
// by its id, the records of an owner in order, and the records of a dead instance, without an index that could
// become inconsistent. The first two tokens are hashes, since ids, tenants and principals may be any text.
type subject struct {
	id, owner string // hashes
	created   int64  // nanoseconds since 1970
	instance  string
}

const hashBytes = 24

// hash returns a hash of letters, digits, "-" and "_".
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:hashBytes])
}

// hashOwner returns a hash of both parts of an owner. Without a tenant it is the hash of the principal, as in the subjects
// of earlier versions.
func hashOwner(o task.Owner) string {
	if o.Tenant == "" {
		return hash(o.Principal)
	}
	return hash(hash(o.Tenant) + hash(o.Principal))
}

// isHash reports whether text can be a hash, and so has no wildcards.
func isHash(text string) bool {
	sum, err := base64.RawURLEncoding.DecodeString(text)
	return err == nil && len(sum) == hashBytes
}

// Range of times in nanoseconds since 1970.
var (
	earliest = time.Unix(0, math.MinInt64)
	latest   = time.Unix(0, math.MaxInt64)
)

func subjectOf(r *task.Record, instance string) subject {
	return subject{id: hash(r.ID), owner: hashOwner(r.Owner), created: r.Created.UnixNano(), instance: instance}
}

// names are the subjects of a server.
type names struct{ prefix string }

func (n names) record(s *subject) string {
	return strings.Join([]string{n.prefix, "task", s.id, s.owner, strconv.FormatInt(s.created, 10), s.instance}, ".")
}

// parse is the inverse of record. It reports whether the subject belongs to a record.
func (n names) parse(text string) (subject, bool) {
	rest, ok := strings.CutPrefix(text, n.prefix+".task.")
	tokens := strings.Split(rest, ".")
	if !ok || len(tokens) != 4 {
		return subject{}, false
	}
	created, err := strconv.ParseInt(tokens[2], 10, 64)
	return subject{id: tokens[0], owner: tokens[1], created: created, instance: tokens[3]}, err == nil && isHash(tokens[0]) && isHash(tokens[1])
}

func (n names) records() string                   { return n.prefix + ".task.>" }
func (n names) byID(id string) string             { return n.prefix + ".task." + id + ".>" }
func (n names) byOwner(owner string) string       { return n.prefix + ".task.*." + owner + ".>" }
func (n names) byInstance(instance string) string { return n.prefix + ".task.*.*.*." + instance }

func (n names) parts() string                 { return n.prefix + ".part.>" }
func (n names) partsOf(id string) string      { return n.prefix + ".part." + id + ".>" }
func (n names) partSet(id, set string) string { return n.prefix + ".part." + id + "." + set + ".*" }
func (n names) part(id, set string, number int) string {
	return n.prefix + ".part." + id + "." + set + "." + strconv.Itoa(number)
}

func (n names) instances() string             { return n.prefix + ".instance.*" }
func (n names) instance(id string) string     { return n.prefix + ".instance." + id }
func (n names) instanceOf(text string) string { return strings.TrimPrefix(text, n.prefix+".instance.") }

// A running durable task has a message with the subject durable, and its lease has one with the subject lease.
func (n names) durables() string           { return n.prefix + ".durable.>" }
func (n names) durable(id string) string   { return n.prefix + ".durable." + id + ".task" }
func (n names) lease(id string) string     { return n.prefix + ".durable." + id + ".lease" }
func (n names) durableOf(id string) string { return n.prefix + ".durable." + id + ".*" } // both

// parseDurable returns the hash of the id in one of the two subjects, and whether it is the subject of a lease. It
// returns false for any other subject.
func (n names) parseDurable(text string) (id string, isLease, ok bool) {
	id, kind, ok := strings.Cut(strings.TrimPrefix(text, n.prefix+".durable."), ".")
	return id, kind == "lease", ok && isHash(id) && (kind == "lease" || kind == "task")
}

func (n names) changes() string             { return n.prefix + ".changed.*" }
func (n names) changed(id string) string    { return n.prefix + ".changed." + id }
func (n names) changeOf(text string) string { return strings.TrimPrefix(text, n.prefix+".changed.") }

func (n names) notices() string { return n.prefix + ".notice" }
