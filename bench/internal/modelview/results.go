package modelview

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/bench/internal/lint"
	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// block returns a text block.
func block(text string) *jsondoc.Value {
	return jsondoc.Object(jsondoc.Member{Name: "type", Value: jsondoc.String("text")}, jsondoc.Member{Name: "text", Value: jsondoc.String(text)})
}

func typeOf(block *jsondoc.Value) string { return block.Get("type").Text() }

// structured returns a rule of clients that show their model the structured content in place of the blocks that replaces
// selects. In a result that is an error it applies if errors is set.
func structured(errors bool, replaces func(block *jsondoc.Value) bool) func(*jsondoc.Value) (*jsondoc.Value, string) {
	return func(r *jsondoc.Value) (*jsondoc.Value, string) {
		content, isError := r.Get("structuredContent"), r.Get("isError").IsTrue()
		r = r.Without("structuredContent", "_meta")
		if content == nil || content.IsNull() || isError && !errors {
			return r, ""
		}
		blocks := slices.DeleteFunc(slices.Clone(r.Get("content").Elements()), replaces)
		found := ""
		text := string(content.AppendTo(nil))
		for _, b := range r.Get("content").Elements() {
			if own := b.Get("text").Text(); replaces(b) && !jsondoc.Parse([]byte(own)).Equal(content) {
				found = fmt.Sprintf("without the %s block, which is not the structured content", typeOf(b))
			}
		}
		return r.With("content", jsondoc.Array(append(blocks, block(text))...)), found
	}
}

func isText(b *jsondoc.Value) bool     { return typeOf(b) == "text" }
func isNotImage(b *jsondoc.Value) bool { return typeOf(b) != "image" }
func isAny(*jsondoc.Value) bool        { return true }

// unstructured removes the structured content.
func unstructured(r *jsondoc.Value) (*jsondoc.Value, string) {
	if content := r.Get("structuredContent"); content.IsObject() && !slices.ContainsFunc(r.Get("content").Elements(), func(b *jsondoc.Value) bool {
		return jsondoc.Parse([]byte(b.Get("text").Text())).Equal(content)
	}) {
		return r.Without("structuredContent", "_meta"), "without the structured content, which is not in a text block"
	}
	return r.Without("structuredContent", "_meta"), ""
}

// without returns a rule of clients that drop some blocks.
func without(drops func(b *jsondoc.Value) bool) func(*jsondoc.Value) (*jsondoc.Value, string) {
	return func(r *jsondoc.Value) (*jsondoc.Value, string) {
		made, lost := jsondoc.Array(), []string(nil)
		for _, b := range r.Get("content").Elements() {
			if drops(b) {
				lost = append(lost, typeOf(b))
			} else {
				made.Items = append(made.Items, b)
			}
		}
		if lost == nil {
			return r, ""
		}
		return r.With("content", made), "without blocks: " + strings.Join(lost, ", ")
	}
}

// isForUser reports whether a block is for the user alone.
func isForUser(b *jsondoc.Value) bool {
	audience := b.Get("annotations").Get("audience").Texts()
	return len(audience) > 0 && !slices.Contains(audience, "assistant")
}

func isAudio(b *jsondoc.Value) bool { return typeOf(b) == "audio" }

// cutTo returns a rule that keeps the first and the last characters of the texts of a result that together have more than
// limit.
func cutTo(limit, first, last int) func(*jsondoc.Value) (*jsondoc.Value, string) {
	return func(r *jsondoc.Value) (*jsondoc.Value, string) {
		var texts []string
		for _, b := range r.Get("content").Elements() {
			if isText(b) {
				texts = append(texts, b.Get("text").Text())
			}
		}
		all := []rune(strings.Join(texts, "\n"))
		if len(all) <= limit {
			return r, ""
		}
		text := string(all[:first]) + fmt.Sprintf("\n… %d of %d characters are left out …\n", len(all)-first-last, len(all)) + string(all[len(all)-last:])
		others := slices.DeleteFunc(slices.Clone(r.Get("content").Elements()), isText)
		return r.With("content", jsondoc.Array(append([]*jsondoc.Value{block(text)}, others...)...)), fmt.Sprintf("%d of %d characters", first+last, len(all))
	}
}

// toFile is the limit of Claude Code, which writes a larger result to a file and shows the path, and the beginning unless it
// is too many tokens.
func toFile(r *jsondoc.Value) (*jsondoc.Value, string) {
	size := 0
	for _, b := range r.Get("content").Elements() {
		size += len(b.Get("text").Text())
	}
	if lint.Tokens(size) > lint.MaxResult {
		return cutTo(0, 0, 0)(r)
	}
	return cutTo(50_000, 2000, 0)(r)
}

// withoutMeta removes what only views get.
func withoutMeta(r *jsondoc.Value) (*jsondoc.Value, string) { return r.Without("_meta"), "" }
