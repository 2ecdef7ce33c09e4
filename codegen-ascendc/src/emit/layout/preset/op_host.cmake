file(GLOB definitions ${CMAKE_CURRENT_SOURCE_DIR}/*_def.cpp)
file(GLOB tilings ${CMAKE_CURRENT_SOURCE_DIR}/*_tiling.cpp)
file(GLOB shapes ${CMAKE_CURRENT_SOURCE_DIR}/*_infershape.cpp)
set_source_files_properties(${tilings} ${shapes} PROPERTIES COMPILE_OPTIONS -std=c++17)

# Interface and prototype come from the definitions.
opbuild(OPS_SRC ${definitions}
    OUT_DIR ${ASCEND_AUTOGEN_PATH}
)
file(GLOB interfaces ${ASCEND_AUTOGEN_PATH}/aclnn_*.cpp)
file(GLOB headers ${ASCEND_AUTOGEN_PATH}/aclnn_*.h)

add_library(cust_op_proto SHARED ${shapes} ${ASCEND_AUTOGEN_PATH}/op_proto.cc)
add_library(cust_optiling SHARED ${tilings})
add_library(cust_opapi SHARED ${interfaces})

target_compile_definitions(cust_op_proto PRIVATE OP_PROTO_LIB)
target_compile_definitions(cust_optiling PRIVATE OP_TILING_LIB)
foreach(library cust_op_proto cust_optiling)
    target_compile_options(${library} PRIVATE -fvisibility=hidden)
    target_link_libraries(${library} PRIVATE
        intf_pub exe_graph register tiling_api -Wl,--whole-archive rt2_registry -Wl,--no-whole-archive)
endforeach()
target_link_libraries(cust_optiling PRIVATE nnopbase)
target_link_libraries(cust_opapi PRIVATE intf_pub ascendcl nnopbase)
set_target_properties(cust_op_proto PROPERTIES OUTPUT_NAME cust_opsproto_rt2.0)
set_target_properties(cust_optiling PROPERTIES OUTPUT_NAME cust_opmaster_rt2.0)

# The runtime also looks for the tiling library under its former name.
set(machine lib/linux/${CMAKE_SYSTEM_PROCESSOR})
add_custom_target(optiling_compat ALL
    COMMAND ${CMAKE_COMMAND} -E create_symlink
        ${machine}/$<TARGET_FILE_NAME:cust_optiling> ${CMAKE_CURRENT_BINARY_DIR}/liboptiling.so)

set(vendor packages/vendors/${vendor_name})
set(tiling ${vendor}/op_impl/ai_core/tbe/op_tiling)
install(TARGETS cust_op_proto LIBRARY DESTINATION ${vendor}/op_proto/${machine})
install(FILES ${ASCEND_AUTOGEN_PATH}/op_proto.h DESTINATION ${vendor}/op_proto/inc)
install(TARGETS cust_optiling LIBRARY DESTINATION ${tiling}/${machine})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/liboptiling.so DESTINATION ${tiling})
install(TARGETS cust_opapi LIBRARY DESTINATION ${vendor}/op_api/lib)
install(FILES ${headers} DESTINATION ${vendor}/op_api/include)
