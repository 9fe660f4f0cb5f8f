#!/bin/sh
# What users get wrong: exit status, exactly one diagnostic in the compilers' form, nothing left behind, no hang.
. "${top_srcdir:-.}/tests/support/launcher.sh"
weft=$(cd "${top_builddir:-.}" && pwd)/weft
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
checks=0 failures=0 skips=0

# What a good program is: two devices, one argument cut over them.
good='module @m attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4x2xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<4x2xf32>
    return %0 : tensor<4x2xf32>
  }
}'
printf '%s\n' "$good" >good.mlir
edit() { printf '%s\n' "$good" | sed "$2" >"$1"; }
printf 'this is not MLIR\n' >not_mlir.mlir
: >empty_line.mlir
edit unknown_op.mlir 's/stablehlo.add %arg0, %arg0/stablehlo.frobnicate %arg0/'
edit bad_type.mlir 's/%arg0, %arg0 : tensor<4x2xf32>/%arg0, %arg0 : tensor<4x2xq32>/'
edit bad_shape.mlir 's/return %0 : tensor<4x2xf32>/%1 = stablehlo.reshape %0 : (tensor<4x2xf32>) -> tensor<3x3xf32>\n    return %0 : tensor<4x2xf32>/'
edit no_axis.mlir 's/{"x"}, {}/{"y"}, {}/'
edit near_axis.mlir 's/"x"=2/"model"=2/; s/{"x"}, {}/{"modle"}, {}/'
edit near_mesh.mlir 's/sharding<@mesh/sharding<@mehs/'
edit near_type.mlir 's/xf32/xbf61/g'
edit near_function.mlir 's/%0 = .*/%0 = func.call @mian(%arg0) : (tensor<4x2xf32>) -> tensor<4x2xf32>/'
edit orders.mlir 's/sdy.mesh @mesh.*/&\n  sdy.mesh @turned = <["x"=2], device_ids=[1, 0]>/; s/%0 = .*/%0 = sdy.reshard %arg0 <@turned, [{"x"}, {}]> : tensor<4x2xf32>/'
edit twice.mlir 's/{"x"}, {}/{"x"}, {"x"}/'
edit no_mesh.mlir 's/sharding<@mesh/sharding<@other/'
edit rank.mlir 's/{"x"}, {}/{"x"}/'
edit no_value.mlir 's/return %0/return %9/'
edit cut_off.mlir '5,$d'
edit near_value.mlir 's/%0 = .*/%0 = stablehlo.add %arg0, %agr0 : tensor<4x2xf32>/'
edit twice_value.mlir 's/return %0/%0 = stablehlo.negate %arg0 : tensor<4x2xf32>\n    return %0/'
edit other_dialect.mlir 's/stablehlo.add/mhlo.add/'
edit numpy_type.mlir 's/xf32/xfloat32/g'
printf '%s\n' "$good" | gzip -c >gzip.mlir
printf 'HloModule jit_f\n' >hlo.mlir
printf 'module {\n}\n' >no_main.mlir
edit wide_mesh.mlir 's/"x"=2/"x"=2, "y"=65536, "z"=65536/; s/ {sdy.sharding[^)]*)/)/; s/-> tensor<4x2xf32> {/-> tensor<8x4xf32> {/; s/%0 = .*/%1 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<4x2xf32>) -> tensor<8x2xf32>\n    %c = stablehlo.constant dense<1.0> : tensor<2x4xf32>\n    %0 = stablehlo.dot %1, %c : (tensor<8x2xf32>, tensor<2x4xf32>) -> tensor<8x4xf32>/; s/return %0 : tensor<4x2xf32>/return %0 : tensor<8x4xf32>/'

# npy FILE DESCR SHAPE BYTES: a .npy file with that header and so many bytes of zeros.
npy() {
    header=$(printf "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" "$2" "$3")
    printf '\223NUMPY\001\000\166\000%-117s\n' "$header" >"$1"
    head -c "$4" /dev/zero >>"$1"
}
mkdir in_good in_shape in_type in_short in_text in_none out_differs out_shape
npy in_good/in0.npy '<f4' '(4, 2)' 32
npy in_shape/in0.npy '<f4' '(2, 4)' 32
npy in_type/in0.npy '<f8' '(4, 2)' 64
npy in_short/in0.npy '<f4' '(4, 2)' 28
printf 'plain text' >in_text/in0.npy
mkdir in_zip in_dir in_dir/in0.npy in_pipe
printf 'PK\003\004' >in_zip/in0.npy
mkfifo in_pipe/in0.npy
printf '\033[31mred\n' >control.mlir
npy out_differs/out0.npy '<f4' '(4, 2)' 24
printf '\000\000\200\077\000\000\000\000' >>out_differs/out0.npy
npy out_shape/out0.npy '<f4' '(8,)' 32
printf 'openssl_conf = init\n[init]\nalg_section = algs\n[algs]\ndefault_properties = fips=yes\n' >fips.cnf
before=$(find . | sort)

# bad STATUS PATTERN COMMAND...: fails with STATUS and one diagnostic that matches.
bad() {
    status=$1 pattern=$2
    shift 2
    checks=$((checks + 1))
    timeout 60 "$@" >stdout 2>stderr </dev/null
    got=$?
    errors=$(grep -c 'error: ' stderr)
    why=
    [ $got -eq "$status" ] || why="$why status $got, not $status;"
    [ "$errors" -eq 1 ] || why="$why $errors diagnostics;"
    grep -q -- "$pattern" stderr || why="$why no '$pattern';"
    [ ! -s stdout ] || why="$why output;"
    rm -f stdout.old
    mv stderr last_stderr
    rm -f stdout
    [ "$(find . ! -name last_stderr | sort)" = "$before" ] || why="$why files left: $(find . -newer good.mlir | tr '\n' ' ');"
    if [ -z "$why" ]; then echo "ok $pattern"; else
        failures=$((failures + 1))
        echo "not ok $*:$why"
        head -n 5 last_stderr
    fi
    rm -f last_stderr
}

for command in opt run dryrun; do
    bad 1 'not_mlir.mlir:1:1: error: ' "$weft" $command not_mlir.mlir
    bad 1 'unknown_op.mlir:4:10: error: ' "$weft" $command unknown_op.mlir
    bad 1 'bad_type.mlir:4:[0-9]*: error: ' "$weft" $command bad_type.mlir
    bad 1 'bad_shape.mlir:5:[0-9]*: error: ' "$weft" $command bad_shape.mlir
    bad 1 'no_axis.mlir:3:[0-9]*: error: .*y' "$weft" $command no_axis.mlir
    bad 1 'twice.mlir:3:[0-9]*: error: ' "$weft" $command twice.mlir
    bad 1 'no_mesh.mlir:3:[0-9]*: error: ' "$weft" $command no_mesh.mlir
    bad 1 'rank.mlir:3:[0-9]*: error: ' "$weft" $command rank.mlir
    bad 1 'no_value.mlir:5:[0-9]*: error: ' "$weft" $command no_value.mlir
    bad 1 'cut_off.mlir:[0-9]*:[0-9]*: error: ' "$weft" $command cut_off.mlir
    bad 1 'absent.mlir. cannot be opened' "$weft" $command absent.mlir
    files=good.mlir most='FILE|-'
    [ $command = dryrun ] && files='good.mlir good.mlir' most='FILE|- .FILE.' # it compares two
    bad 2 "$most is missing" "$weft" $command
    bad 2 'one argument too many' "$weft" $command good.mlir $files
    bad 2 "no option '--frobnicate'" "$weft" $command --frobnicate good.mlir
done
bad 2 "no command 'frobnicate'" "$weft" frobnicate
bad 2 "needs this process's number in WEFT_PROCESS" env WEFT_RENDEZVOUS=file:here WEFT_PROCESS=x WEFT_PROCESSES=2 "$weft" bench coll
bad 2 "needs this process's number in WEFT_PROCESS" env WEFT_RENDEZVOUS=file:here WEFT_PROCESS=0 WEFT_PROCESSES=2x "$weft" bench coll
bad 2 'no process 5 among 2' env WEFT_RENDEZVOUS=file:here WEFT_PROCESS=5 WEFT_PROCESSES=2 "$weft" bench coll
# Processes that another MPI's launcher started; keys that cannot be right; libcrypto that may not hash.
has() { grep -q "^#define HAVE_$1 1" "${weft%/weft}/config.h"; }
has MPI && bad 1 'the launcher started process 0 of 2, but in MPI this is process 0 of 1' env -u OMPI_COMM_WORLD_RANK PMI_RANK=0 PMI_SIZE=2 "$weft" run good.mlir
has MPI && bad 1 'the launcher started process 0 of 2, but in MPI this is process 0 of 1' env -u OMPI_COMM_WORLD_RANK PMIX_RANK=0 SLURM_STEP_NUM_TASKS=2 "$weft" run good.mlir
meets='WEFT_RENDEZVOUS=tcp:127.0.0.1:1 WEFT_PROCESS=0 WEFT_PROCESSES=2' # words of env
bad 2 'WEFT_RENDEZVOUS_KEY is set but empty' env $meets WEFT_RENDEZVOUS_KEY= "$weft" run good.mlir
has CRYPTO && bad 1 'libcrypto refuses to compute HMAC-SHA-256' env $meets WEFT_RENDEZVOUS_KEY=secret OPENSSL_CONF="$tmp/fips.cnf" "$weft" run good.mlir
has CRYPTO || bad 1 'was built without libcrypto' env $meets WEFT_RENDEZVOUS_KEY=secret "$weft" run good.mlir
bad 2 'foo.* has flops twice' "$weft" dryrun good.mlir --custom-call foo=flops:1,bytes:2,flops:3
bad 2 "more than 1e30 at '1e20\*1e20'" "$weft" dryrun good.mlir --custom-call 'foo=flops:1e20*1e20'
bad 2 "is TARGET=flops:N,bytes:N, not '=flops:1'" "$weft" dryrun good.mlir --custom-call =flops:1
bad 2 'has flops: and bytes:' "$weft" dryrun good.mlir --custom-call foo=flops:1,
bad 2 "no command 'drynur'; the nearest is 'dryrun'" "$weft" drynur good.mlir
bad 2 "no command 'hepl'; the nearest is 'help'" "$weft" help hepl
bad 2 "no machine 'dgx-h10'; a file's name has a '/' or a '.' in it; did you mean 'dgx-h100'?" "$weft" dryrun --machine=dgx-h10 good.mlir
bad 1 'unknown axis name: "modle"; did you mean .model.?' "$weft" opt near_axis.mlir
bad 1 "unknown mesh: @mehs; did you mean 'mesh'?" "$weft" opt near_mesh.mlir
bad 1 "there is no function '@mian'; did you mean 'main'?" "$weft" opt near_function.mlir
bad 1 "unknown type 'bf61'; did you mean 'bf16'?" "$weft" opt near_type.mlir
bad 1 'wide_mesh.mlir:2:3: error: a mesh of more than 2^31 - 1 devices' "$weft" opt --weft-collective-matmul wide_mesh.mlir
bad 1 "a reshard between meshes whose devices are in different orders" "$weft" opt --weft-lower-reshards orders.mlir
bad 1 "near_value.mlir:4:31: error: '%agr0' is not defined here; did you mean '%arg0'?" "$weft" opt near_value.mlir
bad 1 'twice_value.mlir:4:10: note: first here' "$weft" opt twice_value.mlir
bad 1 "other_dialect.mlir:4:10: error: unknown op 'mhlo.add'; did you mean 'stablehlo.add'?" "$weft" opt other_dialect.mlir
bad 1 "unknown type 'float32'; did you mean 'f32'?" "$weft" opt numpy_type.mlir
bad 1 "'gzip.mlir' is compressed by gzip" "$weft" dryrun gzip.mlir
bad 1 "'hlo.mlir' is XLA's HLO" "$weft" explain hlo.mlir
for command in run dryrun explain verify; do bad 1 'no_main.mlir:1:1: error: the module has no function @main' "$weft" $command no_main.mlir; done
bad 2 "WEFT_FAST is 1 or 0, not 'maybe'" env WEFT_FAST=maybe "$weft" run good.mlir
bad 2 "no transport 'shmm' .*; did you mean 'shm'?" env WEFT_TRANSPORT=shmm "$weft" run good.mlir
bad 2 "no collective algorithm 'all_reduce=rign'.*; did you mean 'ring'?" env WEFT_ALGORITHMS=all_reduce=rign "$weft" run good.mlir
for bytes in 0 x 4M- ''; do bad 2 "'stream=$bytes' gives no number of bytes above 0, as stream=4M does" env WEFT_ALGORITHMS=stream=$bytes "$weft" run good.mlir; done
bad 2 "no collective algorithm 'steam=4M'; a choice is .* or stream=BYTES; .*; did you mean 'stream'?" env WEFT_ALGORITHMS=steam=4M "$weft" run good.mlir
bad 2 "no collective algorithm 'all_reduc=ring'.*; did you mean 'all_reduce'?" env WEFT_ALGORITHMS=all_reduc=ring "$weft" run good.mlir
bad 2 "no collective 'all_reduc' to time; the nearest is 'all_reduce'" "$weft" bench coll --op all_reduc
bad 2 "no warning is called 'replicat'; did you mean 'replicate'?" "$weft" run --werror=replicat good.mlir
bad 2 "'weft-export' has no option 'obey-constraint'; did you mean 'obey-constraints'?" "$weft" opt --weft-export=obey-constraint=true good.mlir
bad 2 'gives axis "x" twice' "$weft" run good.mlir --mesh x=2,x=4
bad 2 'gives axis "x" a size that is not 1 to 2^40' "$weft" run good.mlir --mesh x=0
bad 2 "'atuo' is not an order .*; did you mean 'auto'?" "$weft" dryrun good.mlir --order atuo
bad 2 "fill takes normal, uniform, zeros, ones or a number, not 'zeroes'; did you mean 'zeros'?" "$weft" run good.mlir --fill 0=zeroes
bad 1 'a process runs at most 4096: 25 processes or more' "$weft" run good.mlir --devices 100000
bad 2 "threads is 2000; a device has at most 1024" "$weft" run good.mlir --threads 2000
bad 2 "'--threads' takes a whole number of at least 1, not '0'" "$weft" run good.mlir --threads 0
bad 2 "there is no value '%agr0' in good.mlir; did you mean '%arg0'?" "$weft" explain good.mlir --value %agr0
bad 2 '@main has no argument 3: it has 1' "$weft" explain good.mlir --arg 3
bad 2 'line 400 of good.mlir makes no value, and none after it does' "$weft" explain good.mlir --line 400
bad 2 'line 1 of good.mlir makes no value; the next line that does is 3' "$weft" explain good.mlir --line 1
bad 2 "no option '--weft-partitoin'; the nearest is '--weft-partition'" "$weft" opt --weft-partitoin good.mlir
bad 2 "no option '--frobnicate'; see" "$weft" opt --frobnicate good.mlir
bad 2 "no option '--repaet=3'; the nearest is '--repeat'" "$weft" run --repaet=3 good.mlir
bad 2 "has no option 'colour'" "$weft" opt --inline=colour=red good.mlir
bad 2 'needs a value' "$weft" run good.mlir --inputs
bad 2 'takes a whole number' "$weft" run good.mlir --repeat=often
bad 2 'at least 1' "$weft" run good.mlir --repeat 0
bad 2 'is not a mesh such as' "$weft" run good.mlir --mesh x
bad 2 'has an axis "z"' "$weft" dryrun good.mlir --mesh z=4
bad 2 "no machine 'abacus'" "$weft" dryrun good.mlir --machine abacus
bad 2 'fill takes' "$weft" run good.mlir --fill 7=zeros
bad 2 'feed takes' "$weft" run good.mlir --feed 0:1
bad 2 'print takes' "$weft" run good.mlir --print 0
bad 1 'in_none/in0.npy. cannot be opened' "$weft" run good.mlir --inputs in_none --outputs new
bad 1 'in_shape/in0.npy. holds tensor<2x4xf32>, expected tensor<4x2xf32>' "$weft" run good.mlir --inputs in_shape --outputs new
bad 1 'in_type/in0.npy. holds tensor<4x2xf64>, expected tensor<4x2xf32>' "$weft" run good.mlir --inputs in_type --outputs new
bad 1 'in_short/in0.npy. holds 28 bytes of data, expected 32' "$weft" run good.mlir --inputs in_short --outputs new
bad 1 'in_zip/in0.npy. is an archive of arrays (.npz): Weft reads' "$weft" run good.mlir --inputs in_zip
bad 1 'in_dir/in0.npy. is a directory, not a .npy file' "$weft" run good.mlir --inputs in_dir
bad 1 'in_pipe/in0.npy. is a pipe or device, not a .npy file' "$weft" run good.mlir --inputs in_pipe
bad 1 '^?\[31mred' "$weft" opt control.mlir
bad 1 'in_text/in0.npy. is not a .npy file' "$weft" run good.mlir --inputs in_text --outputs new
bad 1 'output 0 differs at \[3, 0\]: got 0, expected 1' "$weft" run good.mlir --inputs in_good --compare out_differs
bad 1 'out_shape/out0.npy. holds tensor<8xf32>, expected tensor<4x2xf32>' "$weft" run good.mlir --inputs in_good --compare out_shape
bad 1 'out0.npy. cannot be written\|absent/new. cannot be made' "$weft" run good.mlir --outputs absent/new
# A compiled program whose first bytes are damaged, and other files that are no text: what is said of them is UTF-8, also
# where the edge of a long line cuts a character.
text() {
    checks=$((checks + 1))
    "$weft" run "$1" >out 2>err
    if iconv -f UTF-8 -t UTF-8 err >text 2>&1 && cmp -s err text && grep -q "$2" err; then
        echo "ok the message about $1 is text"
    else
        failures=$((failures + 1))
        echo "not ok the message about $1 is text"
        cat -v err
    fi
}
{ printf '\227EFTPROG\n\000\001\377\376\303' && head -c 500 good.mlir; } >damaged.weft
text damaged.weft '^?EFTPROG'
{ printf '"' && for k in 1 2 3 4 5 6 7 8 9; do printf 'äöüßéèêñ€µäöüß'; done && printf '\377" ß\n'; } >wide.mlir
text wide.mlir 'error'
printf 'module @"\377" { func.func @"g\303(" }\n' >names.mlir
text names.mlir 'error'
if command -v mpirun >/dev/null; then
    # mpirun adds words of its own: only Weft's are counted, and the status is not zero.
    many() {
        pattern=$1
        shift
        checks=$((checks + 1))
        timeout -k 10 60 mpirun "$@" >stdout 2>stderr </dev/null
        got=$?
        errors=$(grep -c '^[^ ]*: error: ' stderr)
        if [ $got -ne 0 ] && [ $got -ne 124 ] && [ "$errors" -eq 1 ] && grep -q -- "$pattern" stderr; then echo "ok mpirun: $pattern"; else
            failures=$((failures + 1))
            echo "not ok mpirun $*: status $got, $errors diagnostics"
            head -n 5 stderr
        fi
        rm -f stdout stderr
    }
    many '2 devices, which 3 processes cannot share' -n 3 "$weft" run good.mlir
    many 'unknown_op.mlir:4:10: error: ' -n 2 "$weft" run unknown_op.mlir
    many 'in_shape/in0.npy. holds tensor<2x4xf32>' -n 2 "$weft" run good.mlir --inputs in_shape
    many 'output 0 differs at \[3, 0\]' -n 2 "$weft" run good.mlir --inputs in_good --compare out_differs
    many 'standard input reaches one process only' -n 2 "$weft" run -
    checks=$((checks + 1)) # a warning that only process 0 has, made an error: the others hear of it long before their time is out
    WEFT_TUNE=$PWD/mistyped timeout -k 10 20 mpirun -n 2 "$weft" run --werror=fallback good.mlir >stdout 2>stderr </dev/null
    got=$?
    if [ $got -ne 0 ] && [ $got -ne 124 ] && grep -q "mistyped. does not exist" stderr; then echo "ok mpirun --werror"; else
        failures=$((failures + 1))
        echo "not ok mpirun --werror: status $got"
        head -n 5 stderr
    fi
    many "no option '--frobnicate'" -n 2 "$weft" run --frobnicate good.mlir
else
    skips=6
fi
[ $skips -eq 0 ] || echo "skipped: $skips (no mpirun)"
echo "Checks: $checks, Failures: $failures, Errors: 0"
[ $failures -eq 0 ]
