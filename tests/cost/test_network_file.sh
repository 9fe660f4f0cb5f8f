#!/bin/sh
# bench/network: a file of two nodes and an edge, whose best is known, and the same with each of its mistakes.
. "${top_srcdir:-.}/tests/support/cases.sh"
network=$build/bench/network

cat >good.json <<'END'
{ "problem": { "name": "two", "nodes": { "intervals": [[0, 2], [1, 3]],
    "costs": [[1, 5], [2, 7, 9]],
    "usages": [[8, 1], [8, 2, 3]] },
  "edges": { "nodes": [[1, 0]],
    "costs": [[10, 20, 30, 40, 50, 60]] },
  "usage_limit": 9 } }
END
prints '^good.json  *2  *1  *27  *27  *0.00%' "$network" 1 good.json   # 5 + 2 + 20 takes 9; 1 + 2 + 10 takes 16
sed 's/"usage_limit": 9/"usage_limit": 16/' good.json >roomy.json
prints '^roomy.json  *2  *1  *13  *13  *0.00%' "$network" 1 roomy.json

# with SED WHAT: the file with that change is refused so.
with() {
    sed "$1" good.json >bad.json
    refuses 1 "^network: .*$2" "$network" 1 bad.json
}
with 's/\[\[1, 0\]\]/[[1, 2]]/' "an edge's nodes are not two of the nodes"
with 's/\[\[1, 0\]\]/[[-1, 0]]/' "an edge's nodes are not two of the nodes"
with 's/\[\[1, 0\]\]/[[1, 1]]/' "an edge's nodes are not two of the nodes"
with 's/\[\[1, 0\]\]/[[1, 0, 1]]/' 'an edge has not two nodes'
with 's/\[\[1, 0\]\]/[]/' 'lists of the file have other lengths'
with 's/, 60\]\]/]]/' 'not a cost for each pair'
with 's/\[8, 1\]/[8]/' 'not as many usages as costs'
with 's/\[8, 1\]/[8, -1]/' 'a usage is negative'
with 's/\[1, 5\]/[]/' 'a node has no choices'
with 's/\[0, 2\]/[0]/' 'an interval is not its begin and its end'
with 's/\[0, 2\]/[3, 2]/' 'an interval is not its begin and its end'
with 's/\[0, 2\]/[-1, 2]/' 'an interval is not its begin and its end'
with 's/\[0, 2\]/2/' 'something else than lists'
with 's/\[0, 2\]/[0, "2"]/' 'something else than integers'
with 's/"costs": \[\[1, 5\], \[2, 7, 9\]\],//' 'a list is missing'
with 's/"usage_limit": 9/"usage_limit": -9/' 'the limit is negative'
with 's/"usage_limit": 9/"usage_limit": "9"/' 'the limit is not an integer'
with 's/"problem": {/"problem": {{/' ''
with 's/\[1, 5\]/[9223372036854775807, 9223372036854775807]/' 'a sum of the .* is too large'
refuses 1 'unable to open' "$network" 1 none.json
finish
