//! A stand-alone project for toolkits of generation 8: the files that an author owns.
//!
//! The rest (`cmake/`, `scripts/`, the root CMakeLists.txt) belongs to the toolkit, whose `msopgen` writes them. The emitted
//! `build.sh` runs it and fetches them from there.

use super::custom::{ORDERED, VENDOR, add_sources, readme};
use crate::emit::kernel::BY_COMPILER;
use crate::emit::package::{FUSION, Package};
use crate::emit::text::{Comment, project_header};
use crate::emit::tree::Tree;

/// Adds a project for toolkits of generation 8 that builds some operators.
pub fn add(tree: &mut Tree, packages: &[Package<'_>]) {
    add_sources(tree, packages);
    let soc = packages[0].soc().name;
    let header = project_header(packages, Comment::Hash);
    tree.add("op_host/CMakeLists.txt", format!("{header}\n{HOST}"));
    let fused = packages.iter().filter(|p| !p.fused().is_empty());
    let options: String = fused
        .map(|p| format!("add_ops_compile_options({} OPTIONS {FUSION})\n", p.def.name))
        .collect();
    let all = format!("# {ORDERED}\nadd_ops_compile_options(ALL OPTIONS -O3 -D{BY_COMPILER})\n");
    tree.add(
        "op_kernel/CMakeLists.txt",
        format!("{header}\n{options}{all}add_kernels_compile()\n"),
    );
    tree.add("CMakePresets.json", presets(soc));
    tree.add("msopgen.json", MSOPGEN);
    tree.add("build.sh", format!("#!/usr/bin/env bash\n{header}\n{}", BUILD.replace("SOC", soc)));
    tree.add("README.md", readme(packages, packages[0].words().custom.build_8));
}

fn presets(soc: &str) -> String {
    format!(
        r#"{{
    "version": 1,
    "cmakeMinimumRequired": {{ "major": 3, "minor": 19, "patch": 0 }},
    "configurePresets": [
        {{
            "name": "default",
            "generator": "Unix Makefiles",
            "binaryDir": "${{sourceDir}}/build_out",
            "cacheVariables": {{
                "CMAKE_BUILD_TYPE": {{ "type": "STRING", "value": "Release" }},
                "CMAKE_INSTALL_PREFIX": {{ "type": "PATH", "value": "${{sourceDir}}/build_out" }},
                "ENABLE_SOURCE_PACKAGE": {{ "type": "BOOL", "value": "True" }},
                "ENABLE_BINARY_PACKAGE": {{ "type": "BOOL", "value": "True" }},
                "ASCEND_COMPUTE_UNIT": {{ "type": "STRING", "value": "{soc}" }},
                "ASCEND_CANN_PACKAGE_PATH": {{ "type": "PATH", "value": "$env{{ASCEND_HOME_PATH}}" }},
                "vendor_name": {{ "type": "STRING", "value": "{VENDOR}" }}
            }}
        }}
    ]
}}
"#
    )
}

/// Definition of an operator that is given to `msopgen`, which writes no project without one.
///
/// The files that it writes for the operator are discarded.
const MSOPGEN: &str = r#"[
    {
        "op": "Unused",
        "language": "cpp",
        "input_desc": [{ "name": "x", "param_type": "required", "format": ["ND"], "type": ["fp16"] }],
        "output_desc": [{ "name": "y", "param_type": "required", "format": ["ND"], "type": ["fp16"] }]
    }
]
"#;

const BUILD: &str = r#"# Fetches the toolkit's part of the project once, then builds the package.
set -euo pipefail
cd "$(dirname "$0")"

if [[ -z "${ASCEND_HOME_PATH:-}" ]]; then
    echo "ASCEND_HOME_PATH is not set: source the toolkit's set_env.sh first" >&2
    exit 2
fi

if [[ ! -d cmake ]]; then
    msopgen=$(command -v msopgen || echo "$ASCEND_HOME_PATH/python/site-packages/bin/msopgen")
    project=$(mktemp -d)
    trap 'rm -rf "$project"' EXIT
    "$msopgen" gen -i msopgen.json -f tf -c ai_core-SOC -lan cpp -out "$project/toolkit"
    cp -r "$project/toolkit/cmake" "$project/toolkit/scripts" "$project/toolkit/CMakeLists.txt" .
fi

cmake -S . --preset=default
cmake --build build_out --target binary -j "$(nproc)"
cmake --build build_out --target package
"#;

const HOST: &str = "\
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
";
