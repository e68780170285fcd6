package gotype

import (
	"encoding/json"
	"math/big"
	"net/netip"
	"reflect"
	"time"

	"github.com/mcptool-go/mcptool/internal/lab/crosscheck/pool"
)

// A class determines the valid tags of a type.
type class int

const (
	plainClass class = iota // annotations at most
	boolClass
	intClass
	uintClass
	floatClass
	stringClass
	anyClass
	unionClass
	structClass
)

// A leaf is a type without generated parts.
type leaf struct {
	source string
	goType reflect.Type // nil for types declared by generated source
	class  class
	key    bool // of maps
	weight int  // number of leaves that it consists of; 0 counts as one
}

func leafOf[T any](source string, c class, key bool) leaf {
	return leaf{source: source, goType: reflect.TypeFor[T](), class: c, key: key}
}

// leaves contains more frequent types several times.
var leaves = []leaf{
	leafOf[bool]("bool", boolClass, false), leafOf[bool]("bool", boolClass, false),
	leafOf[int]("int", intClass, true), leafOf[int]("int", intClass, true), leafOf[int]("int", intClass, true),
	leafOf[int8]("int8", intClass, true), leafOf[int16]("int16", intClass, true), leafOf[int32]("int32", intClass, true), leafOf[int64]("int64", intClass, true),
	leafOf[uint]("uint", uintClass, true), leafOf[uint8]("uint8", uintClass, true), leafOf[uint16]("uint16", uintClass, true),
	leafOf[uint32]("uint32", uintClass, true), leafOf[uint64]("uint64", uintClass, true),
	leafOf[float32]("float32", floatClass, false), leafOf[float64]("float64", floatClass, false), leafOf[float64]("float64", floatClass, false),
	leafOf[string]("string", stringClass, true), leafOf[string]("string", stringClass, true), leafOf[string]("string", stringClass, true), leafOf[string]("string", stringClass, true),
	leafOf[[]byte]("[]byte", plainClass, false), leafOf[time.Time]("time.Time", plainClass, false), leafOf[time.Duration]("time.Duration", intClass, false),
	leafOf[json.RawMessage]("json.RawMessage", plainClass, false), leafOf[json.Number]("json.Number", floatClass, false), leafOf[any]("any", anyClass, false),
	leafOf[big.Int]("big.Int", plainClass, false), leafOf[netip.Addr]("netip.Addr", plainClass, true), leafOf[struct{}]("struct{}", plainClass, false),
	leafOf[pool.Word]("pool.Word", stringClass, true), leafOf[pool.Tiny]("pool.Tiny", intClass, true), leafOf[pool.Count]("pool.Count", uintClass, true),
	leafOf[pool.Ratio]("pool.Ratio", floatClass, false), leafOf[pool.Flag]("pool.Flag", boolClass, false), leafOf[pool.Words]("pool.Words", plainClass, false),
	leafOf[pool.Scores]("pool.Scores", plainClass, false), leafOf[pool.Blob]("pool.Blob", plainClass, false),
	leafOf[pool.Color]("pool.Color", plainClass, true), leafOf[pool.Level]("pool.Level", plainClass, false), leafOf[pool.Code]("pool.Code", plainClass, true),
	leafOf[pool.Point]("pool.Point", plainClass, false), leafOf[pool.Even]("pool.Even", structClass, false), leafOf[pool.Tree]("pool.Tree", structClass, false),
	leafOf[pool.Husband]("pool.Husband", structClass, false), leafOf[pool.Nested]("pool.Nested", plainClass, false), leafOf[pool.Base]("pool.Base", structClass, false),
	leafOf[pool.Loose]("pool.Loose", structClass, false), leafOf[pool.Shape]("pool.Shape", unionClass, false),
	leafOf[pool.Box[int8]]("pool.Box[int8]", structClass, false), leafOf[pool.List[pool.Color]]("pool.List[pool.Color]", structClass, false),
	leafOf[pool.Pair[string, *pool.Base]]("pool.Pair[string, *pool.Base]", structClass, false),
}
