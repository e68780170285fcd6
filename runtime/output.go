package runtime

import (
	"cmp"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// metaTruncated is the member of a result's _meta that lists the truncated lists.
const metaTruncated = "io.github.mcptool-go/truncated"

// largeError is the error of a result that is larger than [Limits.MaxResultBytes]. Its text is for the model.
type largeError struct {
	size, limit int
	more        bool // than size: encoding of the result was stopped
}

func (e *largeError) Error() string {
	size := inBytes(e.size)
	if e.more {
		size = "more than " + size
	}
	return fmt.Sprintf("the result has %s, and %s is the most that is sent; ask for less: for a smaller part, or with narrower arguments",
		size, inBytes(e.limit))
}

// inBytes returns a size as text.
func inBytes(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	default:
		return fmt.Sprintf("%d bytes", n)
	}
}

// complete appends the rest of a result after its structured part: the result begins at begin, and its structured part
// is value. If the result is then too large, it truncates the lists that may be truncated. A nil rest means that there
// is nothing else.
func (c *call) complete(dst []byte, begin int, value []byte, rest *mcptool.Result) ([]byte, error) {
	if rest == nil {
		rest = &noRest
	}
	limit := c.from.limits.MaxResultBytes
	room := limit - (len(dst) - begin)
	end := begin + 2*c.from.maxJSON // value is already in dst
	if 2*len(value) < room || c.textSize(value) < room || saysAlready(rest.Content, value) {
		dst, err := c.appendRest(dst, value, rest, end)
		size := len(dst) - begin
		switch {
		case err != nil:
			return dst[:begin], err
		case len(dst) > end:
			return dst[:begin], c.tooLarge(c.endless())
		case size <= limit:
			return dst, nil
		}
		return c.shorten(dst[:begin], size, value, rest)
	}
	const block = `,{"type":"text","text":}`
	all, err := c.appendRest(dst, nil, rest, end)
	switch {
	case err != nil:
		return dst[:begin], err
	case len(all) > end:
		return dst[:begin], c.tooLarge(c.endless())
	}
	return c.shorten(dst[:begin], len(all)-begin+len(block)+c.textSize(value), value, rest) // with the text block
}

// endless returns the error for a result whose encoding was stopped.
func (c *call) endless() *largeError {
	return &largeError{size: c.from.maxJSON, more: true, limit: c.from.limits.MaxResultBytes}
}

// shorten appends the result to dst with lists truncated until it is small enough. The size is the size of the whole
// result. The report of what was truncated does not count.
func (c *call) shorten(dst []byte, size int, value []byte, rest *mcptool.Result) ([]byte, error) {
	large := &largeError{size: size, limit: c.from.limits.MaxResultBytes}
	form := c.forms[c.version]
	if form == outputObjects && (len(value) == 0 || value[0] != '{') {
		form = outputNone
	}
	weigh := func(part []byte) int {
		weight := rawjson.QuotedSize(part) - len(`""`)
		if form != outputNone {
			weight += len(part)
		}
		return weight
	}
	var (
		short []byte
		cuts  []private.Cut
	)
	fits := len(value) > 0 && !saysAlready(rest.Content, value) // otherwise the text is from the tool and cannot be cut
	if fits {
		short, cuts, fits = internals.Truncate(c.tool, value, large.limit-(large.size-weigh(value)), weigh)
	}
	if !fits {
		return dst, c.tooLarge(large)
	}
	return c.appendShort(dst, form, short, withReport(rest, cuts))
}

// tooLarge logs that a result is too large, and returns why.
func (c *call) tooLarge(why *largeError) error {
	c.from.log.LogAttrs(c, slog.LevelWarn, "result too large", c.attr(), slog.String("request_id", string(c.id)),
		slog.Int("bytes", why.size), slog.Int("limit", why.limit))
	return why
}

// appendShort appends the result with a truncated structured part.
func (c *call) appendShort(dst []byte, form outputForm, short []byte, rest *mcptool.Result) ([]byte, error) {
	dst = append(dst, '{')
	switch form {
	case outputPlain, outputObjects:
		dst = append(append(dst, `"structuredContent":`...), short...)
	case outputWrapped:
		dst = append(append(append(dst, `"structuredContent":{"result":`...), short...), '}')
	default:
	}
	return c.appendRest(dst, short, rest, math.MaxInt)
}

const (
	// reported is the maximum number of truncated lists in the report; those that miss most elements are named.
	reported = 5
	// pathLength is the maximum length of the path of a list in the report, in bytes.
	pathLength = 100
)

// withReport returns the rest of a result with a report of the truncation: as the first text, for the model, and in
// _meta, for programs.
func withReport(rest *mcptool.Result, cuts []private.Cut) *mcptool.Result {
	slices.SortStableFunc(cuts, func(a, b private.Cut) int { return cmp.Compare(b.Total-b.Shown, a.Total-a.Shown) })
	type list struct {
		Path  string `json:"path"`
		Shown int    `json:"shown"`
		Total int    `json:"total"`
	}
	var report struct {
		Lists []list `json:"lists"`
		More  int    `json:"more,omitempty"`
	}
	var parts []string
	for _, made := range cuts[:min(reported, len(cuts))] {
		path := wire.Cut(made.Path, pathLength)
		report.Lists = append(report.Lists, list{path, made.Shown, made.Total})
		parts = append(parts, fmt.Sprintf("%s: the first %d of %d", path, made.Shown, made.Total))
	}
	if report.More = len(cuts) - len(report.Lists); report.More > 0 {
		parts = append(parts, fmt.Sprintf("and more lists that are cut (%d)", report.More))
	}
	text := "The result was too large and is cut. It has " + strings.Join(parts, "; ") + ". To see the rest, ask for a smaller part, or with narrower arguments."
	told := *rest
	told.Content = append([]mcptool.Content{mcptool.Text{Text: text}}, rest.Content...)
	told.Meta = maps.Clone(rest.Meta)
	if told.Meta == nil {
		told.Meta = map[string]any{}
	}
	raw, _ := json.Marshal(report) // cannot fail for strings and numbers
	told.Meta[metaTruncated] = json.RawMessage(raw)
	return &told
}
