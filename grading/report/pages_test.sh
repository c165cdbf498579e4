#!/bin/bash
# pages_test.sh - the reports' pages in headless Chromium: nothing runs, nothing is asked for,
# nothing is said on the console, whatever students and rosters put into names and kernels.
# Each page is opened twice: as it is, and without its Content-Security-Policy, so that the
# escaping has to hold alone.
set -u
grade=$1
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    { echo "pages: no chromium" >&2; exit 1; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0

check() { # NAME COMMAND…
    local name=$1
    shift
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "FAIL $name" >&2; fi
}

# ---- a class of people who try ----
evil="<script>document.title='owned'</script>"
image="\"><img src=http://evil.example/x.png onerror=document.title='owned'>"
class=$folder/class
mkdir "$class"
lab=labs/coalescing
sed "s,^.*tile\[dy\]\[tx\].*\$,& /* </code>$evil */," $lab/wrong/tile_writes_columns.cu >"$class/picture.cu"
{ echo "#error $evil $image"; } >"$class/compile.cu"
cp solutions/coalescing/coalescing.cu "$class/right.cu"
sed "s|^KERNEL energy_soa(.*|&|; s|if (i < n)\$|if (i == 0) printf(\"$evil</pre>\\\\n\");\n    if (i < n)|" \
    solutions/coalescing/coalescing.cu >"$class/printf.cu"
printf '\0binary' >"$class/$(printf 'odd<b onclick=x>&amp;\xff').cu"
{
    echo 'ID,Student,Email'
    echo "picture,\"$evil\",a@x.edu"
    echo "compile,\"${image//\"/\"\"}\",b@x.edu"
    echo "right,\"javascript:alert(1) &lt;script&gt; O'Neil\",c@x.edu"
    echo "nobody,\"<iframe src=file:///etc/passwd>\",d@x.edu"
} >"$folder/roster.csv"
book=(--book "$folder/g.db" --lab coalescing)
"$grade" batch "$class" "${book[@]}" --no-secret --roster "$folder/roster.csv" -q >"$folder/log" 2>&1
check "the class is marked" grep -q '6 submissions' "$folder/log"
"$grade" override right 3 "${book[@]}" --why "$evil" >>"$folder/log"
"$grade" report "${book[@]}" "$folder/pages" >>"$folder/log"
pages=("$folder"/pages/*.html)
check "a page for each, and the class's" [ ${#pages[@]} -eq 7 ]

# ---- each in the browser ----
open_page() { # FILE: leaves dom, console and net beside it
    timeout 60 "$chromium" --headless --no-sandbox --disable-gpu --no-first-run --disable-sync \
        --disable-background-networking --disable-component-update --disable-extensions \
        --disable-default-apps --host-resolver-rules='MAP * ~NOTFOUND' --user-data-dir="$folder/profile" --enable-logging=stderr \
        --log-net-log="$1.net" --net-log-capture-mode=Everything --dump-dom "file://$1" \
        >"$1.dom" 2>"$1.console"
}

quiet() { ! grep -q 'CONSOLE' "$1.console"; }
whole() { grep -q '</html>' "$1.dom"; }
nothing_asked() { # of the network; the browser itself looks for updates and the time
    [ -s "$1.net" ] && ! grep -oE '"(url|original_url)":"[^"]*"' "$1.net" |
        grep -vE '"(file|chrome|devtools|data|about|chrome-extension):' |
        grep -vE '"https?://[a-z0-9.]*\.google(apis)?\.com/' | grep -q .
}
inert() { # no element that runs, loads or frames; no handler in any tag
    ! grep -qiE '<(script|img|iframe|object|embed|link|base|form)[ >]' "$1.dom" &&
        ! grep -qiE '<[a-z]+( [^>]*)? on[a-z]+=' "$1.dom" && ! grep -q '<title>owned' "$1.dom"
}

for page in "${pages[@]}"; do
    name=$(basename "$page")
    open_page "$page"
    check "$name is whole" whole "$page"
    check "$name: quiet console" quiet "$page"
    check "$name: asks for nothing" nothing_asked "$page"
    check "$name: nothing in it runs" inert "$page"
    bare=$folder/bare-$name
    sed 's/<meta http-equiv="Content-Security-Policy"[^>]*>//' "$page" >"$bare"
    check "$name has a policy" [ "$(wc -c <"$bare")" -lt "$(wc -c <"$page")" ]
    open_page "$bare"
    check "$name without policy: quiet console" quiet "$bare"
    check "$name without policy: asks for nothing" nothing_asked "$bare"
    check "$name without policy: nothing in it runs" inert "$bare"
done

# ---- and what they tried is there to be read ----
all=$(cat "$folder"/pages/*.html.dom)
check "names are shown" grep -qF "&lt;script&gt;document.title='owned'&lt;/script&gt;" <<<"$all"
check "the picture is drawn" grep -qF '<svg class="picture"' <<<"$all"
check "its line is quoted" grep -qF '&lt;/code&gt;&lt;script&gt;' <<<"$all"
check "what the device printed is shown" grep -qF '&lt;/script&gt;&lt;/pre&gt;' <<<"$all"
check "the compiler's message is shown" grep -qF 'evil.example' <<<"$all"

# The browser does see what these checks look for.
probe=$folder/probe.html
echo "<!DOCTYPE html><html><body><img src=http://evil.example/x.png>" \
    "<script>console.log('here')</script></body></html>" >"$probe"
open_page "$probe"
check "a console message would be seen" grep -q CONSOLE "$probe.console"
check "a request would be seen" bash -c "! $(declare -f nothing_asked); ! nothing_asked '$probe'"
check "a script would be seen" bash -c "$(declare -f inert); ! inert '$probe'"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
