package mcptool

import "github.com/mcptool-go/mcptool/reflectschema"

// An Optional is a field of arguments or results that is absent, null or a value, such as a column that an update keeps,
// clears or sets. The zero value is absent; Optional[string]{Null: true} is null, and Optional[string]{Value: new("a")} a
// value. See [reflectschema.Optional].
type Optional[T any] = reflectschema.Optional[T]
