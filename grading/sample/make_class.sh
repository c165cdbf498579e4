#!/bin/bash
# make_class.sh - makes class.zip and roster.csv: 60 invented students' submissions to the
# coalescing lab, as Canvas hands them out. Run it in the repository's root; the archive is
# kept, expected.csv beside it says what each must get.
set -eu
cd "$(dirname "$0")/../.."
here=$PWD/grading/sample
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
solution=solutions/coalescing/coalescing.cu
id=40000
file=910000
count=0
echo 'Student,ID,SIS User ID,SIS Login ID,Section' >"$here/roster.csv"
echo '    Points Possible,,,,' >>"$here/roster.csv"

# student NAME "PERSON" LATE ORIGINAL: the file to write, on the roster from now on
student() {
    id=$((id + 17)) file=$((file + 31)) count=$((count + 1))
    local late=
    [ "$3" = late ] && late=_LATE
    printf '"%s",%d,u%d,%s,A%d\n' "$2" $id $id "$1@example.edu" $((count % 3 + 1)) >>"$here/roster.csv"
    target="$work/$1${late}_${id}_${file}_$4"
}

# Full marks in many hands.
n=0
for name in adams bell chen diaz evans fischer garcia haddad ito jensen kim lopez moreau novak; do
    n=$((n + 1))
    student "$name" "${name^}, Alex" "$([ $((n % 7)) = 0 ] && echo late || echo -)" coalescing.cu
    { echo "// $name, lab 2, try $n"; sed "s/energy(/energy_of_$name(/g" $solution; } >"$target"
done
student oneil "O'Neil, Pat" - coalescing-1.cu
sed 's/dy += blockDim.y/dy += 8/' $solution >"$target"
student dangelo "D'Angelo, \"\"Ray\"\"" - coalescing.cu
sed 's/0.5f \* mass \* (\(.*\))/(\1) * (mass \/ 2)/' $solution >"$target"
student obrien "O’Brien, Zoë" - 'Coalescing.CU'
cp $solution "$target"
student vandoe "van Doe, Jean-Luc" late 'lab 2 (final) FINAL.cu'
cp $solution "$target"
student sorensen "Sørensen, Åse" - coalescing.cu
sed 's/\[32\]\[33\]/[32][35]/' $solution >"$target"
student ng "Ng, A" - coalescing-3.cu
cp $solution "$target"

# One mistake each in a whole solution.
while IFS='|' read -r name late change; do
    student "$name" "${name^}, Sam" "$late" coalescing.cu
    sed "$change" $solution >"$target"
    cmp -s $solution "$target" && { echo "$name: nothing changed" >&2; exit 1; }
done <<'CHANGES'
okafor|-|s/if (i < n)/if (i <= n)/
patel|-|/__syncthreads();/d
quinn|-|s/\[32\]\[33\]/[32][32]/
rossi|late|s/0.5f/0.25f/
sato|-|s/= tile\[tx\]\[dx\]/= tile[dx][tx]/
tanaka|-|s/field\[2 \* n + i\]/field[2 * i]/
usman|-|s/y0 + tx < height/y0 + tx <= height/
vega|-|s/x0 + tx < width && y0 + dy < height/x0 + tx < width/
walsh|-|s/if (i < n) {/if (i + 1 < n) {/
xu|late|s/\* height + y0 + tx\]/* width + y0 + tx]/
young|-|s/energy(v.x, v.y, v.z, v.w)/energy(p[i].vx, p[i].vy, p[i].vz, p[i].mass)/
zhang|-|s/KERNEL transpose_shared/KERNEL transpose_sharde/
abbott|-|s/field\[i\], field\[n + i\]/field[n + i], field[i]/
bianchi|-|s/vx \* vx/vx * vy/
costa|-|s/__syncthreads();/if (tx < 16) __syncthreads();/
dubois|-|s/out\[i\] = energy(v/out[i] = 1.0001f * energy(v/
eriksen|-|s/#define ROWS 4 /#define ROWS 32 /
CHANGES

# As the lab's bank of wrong kernels, and cheats.
for f in soa_strided soa_half soa_hard_coded tile_no_barrier tile_writes_columns vec_misaligned; do
    student "w${f//_/}" "Bank, ${f//_/ }" - coalescing.cu
    cp "labs/coalescing/wrong/$f.cu" "$target"
done
for f in 01_no_op 03_cached_answer 09_forged_verdict 10_scan_memory 13_changed_input 14_known_sizes 18_endless_loop; do
    student "c${f//_/}" "Cheat, ${f//_/ }" - coalescing.cu
    cp "grading/threats/$f.cu" "$target"
done
cp labs/coalescing/coalescing.cu "$work/skel" && student lazare "Lazare, Noel" - coalescing.cu && mv "$work/skel" "$target"

# Not what was asked for.
student empty "Empty, Emma" - coalescing.cu
: >"$target"
student binary "Binary, Bo" late coalescing.cu
head -c 3000 /bin/true >"$target"
student pdf "Report, Rita" - report.pdf
echo '%PDF-1.4 my kernel is on page 3' >"$target"
student huge "Huge, Hugo" - coalescing.cu
head -c 300000 /dev/zero | tr '\0' '/' >"$target"
student syntax "Syntax, Sid" - coalescing.cu
sed 's/if (i < n)/if (i < n/' $solution >"$target"
student thief "Thief, Theo" - coalescing.cu
echo '#include "/etc/passwd"' >"$target"
student link "Link, Lin" - coalescing.cu
ln -s /etc/passwd "$target"
student nested "Nested, Nell" - my_work.zip
mkdir "$work/in" && cp $solution "$work/in/coalescing.cu" && echo notes >"$work/in/notes.txt"
touch -d '2026-10-01 12:00 UTC' "$work"/in/*
(cd "$work/in" && zip -qX "$target" coalescing.cu notes.txt) && rm -r "$work/in"
student badzip "Badzip, Bea" - coalescing.zip
echo 'PK this is no archive' >"$target"

[ $count = 60 ] || { echo "$count students, not 60" >&2; exit 1; }
printf '"Missing, Mia",%d,u%d,mia@example.edu,A1\n' $((id + 17)) $((id + 17)) >>"$here/roster.csv"
touch -h -d '2026-10-01 12:00 UTC' "$work"/*
rm -f "$here/class.zip"
(cd "$work" && printf '%s\n' * | LC_ALL=C sort | TZ=UTC zip -qXy "$here/class.zip" -@)
echo "grading/sample/class.zip: $count submissions"
