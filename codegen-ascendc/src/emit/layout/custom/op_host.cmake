file(GLOB definitions ${CMAKE_CURRENT_SOURCE_DIR}/*_def.cpp)
file(GLOB tilings ${CMAKE_CURRENT_SOURCE_DIR}/*_tiling.cpp)
file(GLOB shapes ${CMAKE_CURRENT_SOURCE_DIR}/*_infershape.cpp)

# Interface and prototype come from the definitions.
npu_op_code_gen(
    SRC ${definitions}
    PACKAGE ${vendor_name}
    OUT_DIR ${ASCEND_AUTOGEN_PATH}
)
file(GLOB interfaces ${ASCEND_AUTOGEN_PATH}/aclnn_*.cpp)
file(GLOB prototypes ${ASCEND_AUTOGEN_PATH}/op_proto.cc)
set_source_files_properties(${interfaces} ${prototypes} PROPERTIES GENERATED TRUE)

npu_op_library(cust_optiling TILING ${tilings})
npu_op_library(cust_opapi ACLNN ${interfaces})
npu_op_library(cust_op_proto GRAPH ${shapes} ${prototypes})
set_source_files_properties(${tilings} ${shapes} PROPERTIES COMPILE_OPTIONS -std=c++17)

npu_op_package_add(${vendor_name} LIBRARY cust_optiling cust_opapi cust_op_proto)
