# Splits a header that flatc has made. What each file that includes it would pay for and hardly one uses (the bodies of the
# object API, of the unions' checks and of the reflection tables) goes to a source file of its own; the header keeps the
# declarations. Compiling a file that includes all of the schema takes half as long with it.
#
# Usage: awk -v header=NAME.fb.h -v source=OUT.cc -f split_header.awk IN > OUT.h

# Bodies that flatc has declared earlier in the header, each with its signature on one line.
function is_moved(line) {
  return line ~ /^inline .*\{$/ &&
         (line ~ /::(UnPack|UnPackTo|Pack|Reset|operator=)\(/ || line ~ /_rehasher\) \{$/ || line ~ /TypeTable\(\) \{$/ ||
          line ~ /^inline bool Verify[A-Za-z]+\(flatbuffers::Verifier / || line ~ /^inline [A-Za-z]+::[A-Za-z]+\(const /)
}

BEGIN { printf "#include \"%s\"\n\n", header > source }

moving {
  print > source
  if ($0 == "}") {
    moving = 0
    print "" > source
  }
  next
}

/^namespace .* \{$|^\}  \/\/ namespace / { print > source }

/^inline .*TypeTable\(\);$/ { sub(/^inline /, "") }

is_moved($0) {
  sub(/^inline /, "")
  print > source
  # Tables of enumerations are not declared before.
  if (sub(/TypeTable\(\) \{$/, "TypeTable();")) print
  moving = 1
  next
}

{ print }
