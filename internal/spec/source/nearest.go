package source

import "fmt"

// DidYouMean asks for the known word that was probably meant, or is what else to
// do where none is near.
func DidYouMean(word string, known []string, otherwise string) string {
	if near, ok := Nearest(word, known); ok && near != word {
		return fmt.Sprintf("did you mean %s?", near)
	}
	return otherwise
}

// Nearest is the known word that was probably meant by a misspelt one: at most
// two letters apart, and one where the word is short. Of equals the first.
func Nearest(word string, known []string) (string, bool) {
	best, nearest := "", 3
	for _, k := range known {
		if d := distance(word, k); d < nearest && 4*d <= len(k)+1 {
			best, nearest = k, d
		}
	}
	return best, best != ""
}

// distance is the number of single-letter edits between two words. Words that
// differ much in length are not compared: they are far apart.
func distance(a, b string) int {
	if gap := len(a) - len(b); gap > 2 || gap < -2 {
		return 3
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
