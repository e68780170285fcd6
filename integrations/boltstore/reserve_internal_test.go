package boltstore

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/mcptool-go/mcptool/internal/testing/testscale"
)

// treePages returns the number of pages of the tree and checks that each is a single page.
func (d *disk) treePages(t *testing.T) (n int) {
	t.Helper()
	err := d.view(func(tx *bbolt.Tx) error {
		stats := tx.Bucket(tasksBucket).Stats()
		if stats.BranchOverflowN+stats.LeafOverflowN > 0 {
			t.Errorf("%d pages of branches and %d of leaves overflow", stats.BranchOverflowN, stats.LeafOverflowN)
		}
		n = stats.BranchPageN + stats.LeafPageN
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return n
}

// changes makes random changes to records of various sizes and tracks which records exist.
type changes struct {
	random *rand.Rand
	sizes  []int
	there  []uint64
	last   uint64
	total  int
	shrink bool
}

// next returns some writes and the number of deletions among them.
func (c *changes) next() (batch []write, deleted int) {
	switch {
	case c.total > 20<<20, len(c.there) > 3000:
		c.shrink = true
	case len(c.there) < 5:
		c.shrink, c.total = false, 0
	}
	batch = make([]write, 1+c.random.IntN(4)*c.random.IntN(30))
	c.random.Shuffle(len(c.there), func(i, j int) { c.there[i], c.there[j] = c.there[j], c.there[i] })
	there := c.there
	for i := range batch {
		w := &batch[i]
		kind := c.random.IntN(10)
		switch {
		case len(there) > 0 && kind < 2: // replace its value
			w.key, w.replaces, there = there[0], 1, there[1:]
		case len(there) > 0 && (kind < 4 || c.shrink):
			last := len(there) - 1
			w.key, there = there[last], there[:last]
			c.there = c.there[:len(c.there)-1]
			deleted++
			continue
		default:
			c.last++
			w.key = c.last
		}
		w.value = make([]byte, c.sizes[c.random.IntN(len(c.sizes))])
		binary.BigEndian.PutUint32(w.value, sum(w.key, w.value))
		c.total += len(w.value)
	}
	for _, w := range batch {
		if w.value != nil && w.key > c.last-uint64(len(batch)) && !slices.Contains(c.there, w.key) {
			c.there = append(c.there, w.key)
		}
	}
	return batch, deleted
}

// TestPages checks that a transaction takes no more pages than predicted, and that a deletion leaves no more in use
// than before.
func TestPages(t *testing.T) {
	t.Parallel()
	sizes := []int{sumSize, 100, 300, 600, pieceSize - 1, pieceSize, pieceSize + 1, 3000, 5000, 20_000, 200_000, 1_000_000}
	for round := range testscale.Count(6) {
		s := openHere(t, filepath.Join(t.TempDir(), fmt.Sprint(round)))
		s.file.NoSync = true
		random := rand.New(rand.NewPCG(uint64(round), 1))
		c := changes{random: random, sizes: sizes[:4+random.IntN(len(sizes)-3)]}
		for n := range 300 {
			if replaceable && n == 150 { // the prediction must hold for a compacted file, too
				if err := s.file.compact(); err != nil {
					t.Fatal(err)
				}
				s.file.NoSync = true
			}
			batch, deleted := c.next()
			before := s.file.treePages(t)
			stats := s.file.Stats()
			start := stats.TxStats.GetPageCount()
			var needed int64
			err := s.file.update(func(tx *bbolt.Tx) error {
				for _, w := range batch {
					if err := w.apply(tx.Bucket(tasksBucket)); err != nil {
						return err
					}
				}
				txStats := tx.Stats()
				_, needed, _ = pagesOf(txStats.GetNodeCount(), batch)
				tx.DB().NoFreelistSync = true // do not count the pages of the freelist
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			stats = s.file.Stats()
			if took := stats.TxStats.GetPageCount() - start + 1; took > needed {
				t.Errorf("%d writes took %d pages, want at most %d", len(batch), took, needed)
			}
			if after := s.file.treePages(t); deleted == len(batch) && after > before {
				t.Errorf("%d deletions: the tree had %d pages, and has %d after it", deleted, before, after)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
