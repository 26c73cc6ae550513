# carillon_messages(NAME FOLDER folder): the library carillon_NAME, C++ made by protoc of every .proto file of a folder of contracts/.
#
# The code is made in the build folder and is not ours: it is compiled without our warnings, file by file, and its headers count
# as those of the system.
function(carillon_messages name)
  cmake_parse_arguments(PARSE_ARGV 1 messages "" "FOLDER" "")
  set(root ${CMAKE_SOURCE_DIR}/contracts)
  set(made ${CMAKE_BINARY_DIR}/messages)
  file(GLOB protos CONFIGURE_DEPENDS RELATIVE ${root} ${root}/${messages_FOLDER}/*.proto)
  file(MAKE_DIRECTORY ${made})
  set(sources "")
  foreach(proto ${protos})
    string(REGEX REPLACE "\\.proto$" "" stem ${proto})
    list(APPEND sources ${made}/${stem}.pb.cc)
    list(APPEND headers ${made}/${stem}.pb.h)
  endforeach()
  list(TRANSFORM protos PREPEND ${root}/ OUTPUT_VARIABLE proto_files)
  add_custom_command(
    OUTPUT ${sources} ${headers}
    COMMAND protobuf::protoc -I ${root} --cpp_out=${made} ${protos}
    DEPENDS ${proto_files}
    COMMENT "Generating C++ from contracts/${messages_FOLDER}"
    VERBATIM)
  add_library(carillon_${name} STATIC ${sources})
  target_include_directories(carillon_${name} SYSTEM PUBLIC ${made})
  target_link_libraries(carillon_${name} PUBLIC protobuf::libprotobuf)
  # Most of it is for messages that nobody sends; what is busy is in the library.
  target_compile_options(carillon_${name} PRIVATE -w ${CARILLON_COLD} ${CARILLON_TEST_OPTIONS})
  set_target_properties(carillon_${name} PROPERTIES UNITY_BUILD OFF CXX_CLANG_TIDY "")
endfunction()
